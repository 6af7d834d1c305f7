import InkstoneBase
import InkstoneEditing
import InkstoneImages
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneView

/// Attachments in a view: painted, edited and selected with their characters.
@Suite(.timeLimit(.minutes(5))) struct AttachmentViewTests {
    /// Creates a view of a text in which each "#" is an image of 40 by 30 pixels.
    private static func scene(_ notation: String, _ image: [UInt8] = TestImages.png) -> ViewScene {
        let scene = ViewScene(CaretNotation(notation.replacing("#", with: "\u{fffc}")))
        let attachment = TextAttachment(
            contents: image, type: "image/png", alternateDescription: "flag", size: Size(width: 40, height: 30))
        scene.view.store.restyle {
            $0.set(attachment, of: AttachmentAttribute.self, in: scene.view.textRange)
        }
        scene.damage = []
        return scene
    }

    private static func attached(_ scene: ViewScene) -> [Int] {
        let text = scene.view.store.styledText
        return (0..<text.rope.metrics.utf16).filter {
            text.attributes(at: UTF16Offset($0))[AttachmentAttribute.self] != nil
        }
    }

    @Test func anImageIsPaintedOnTheBaselineInItsExtent() throws {
        let scene = Self.scene("ab#c|")
        let (image, rect) = try #require(scene.paint().images.first)
        #expect(rect.size == Size(width: 40, height: 30))
        // The image is passed at its own size; the canvas scales it.
        #expect(image.width == 8 && image.height == 6 && image.pixels[0] >> 16 & 0xff > 200)
        let line = scene.view.layout.geometry.lineFragment(at: 0)
        #expect(rect.maxY == scene.view.viewport.documentOriginInWindow.y + line.baseline)
        #expect(scene.paint().images.first?.image === image, "decoded once")
        // Images outside of the rectangles to repaint are not painted.
        #expect(scene.paint([WindowRect(x: 200, y: 0, width: 100, height: 100)]).images.isEmpty)
    }

    /// An image that cannot be decoded is replaced by a frame, even if only its header is valid.
    @Test func aWrongImageIsAFrameOfItsExtent() {
        for bytes in [
            TestImages.pngHeader(width: 40, height: 30), TestImages.pngHeader(width: 100_000, height: 90_000), [1],
        ] {
            let canvas = Self.scene("ab#c|", bytes).paint()
            let frame = canvas.fills(Theme().placeholder)
            #expect(canvas.images.isEmpty && frame.count == 4)
            let whole = frame.dropFirst().reduce(frame[0]) { $0.union($1) }
            #expect(whole.size == Size(width: 40, height: 30))
        }
    }

    /// RT 56: the selection is visible over the image.
    @Test func aSelectedImageIsTinted() throws {
        let scene = Self.scene("ab[#|]c#")
        let canvas = scene.paint()
        let (first, second) = (canvas.images[0].rect, canvas.images[1].rect)
        let tint = canvas.fills(scene.view.theme.selection.withAlpha(0x80))
        #expect(tint == [first] && second != first)
        #expect(Self.scene("ab|#").paint().fills(Theme().selection.withAlpha(0x80)).isEmpty)
    }

    /// A drag in either direction adds to the attachment that was pressed.
    @Test func anAttachmentStaysSelectedWhenADragLeavesIt() throws {
        let scene = Self.scene("ab#cd|")
        let rect = try #require(scene.paint().images.first).rect
        let middle = ViewPoint(x: rect.minX + rect.width * 0.7, y: rect.minY + rect.height / 2)
        scene.press(at: middle)
        #expect(scene.view.primary.range == 2..<3)
        scene.drag(to: ViewPoint(x: rect.minX + rect.width * 0.2, y: middle.y))
        #expect(scene.view.primary.range == 2..<3, "within it")
        scene.drag(to: ViewPoint(x: 0, y: middle.y))
        #expect(scene.view.primary.range == 0..<3 && scene.view.primary.head == 0)
        scene.drag(to: ViewPoint(x: 300, y: middle.y))
        #expect(scene.view.primary.range == 2..<5 && scene.view.primary.head == 5)
        scene.release(at: ViewPoint(x: 300, y: middle.y))
    }

    /// RT 51, RT 52, RT 53: an arrow key passes the attachment in one step, Backspace and Delete remove it alone,
    /// and undo restores it with its image.
    @Test func anAttachmentIsEditedAsOneCharacter() {
        let scene = Self.scene("a|#b")
        scene.perform(.moveRight)
        #expect(scene.view.selection?.primary.head == 2)
        scene.perform(.deleteBackward)
        #expect(scene.view.text == "ab" && Self.attached(scene).isEmpty)
        scene.perform(.undo)
        #expect(scene.view.text == "a\u{fffc}b" && Self.attached(scene) == [1])
        scene.view.insertText("x")
        scene.view.insertText("\n")
        #expect(Self.attached(scene).count == 1)
        let other = Self.scene("a|#b")
        other.perform(.deleteForward)
        #expect(other.view.text == "ab")
        other.perform(.undo, .insertNewline)
        #expect(other.view.text == "a\n\u{fffc}b" && Self.attached(other) == [2])
    }

    /// Replacing the image repaints it, although no glyph has changed.
    @Test func anImageThatTakesTheOthersPlaceIsPainted() throws {
        let scene = Self.scene("ab#c|")
        let first = try #require(scene.paint().images.first).image
        scene.damage = []
        let other = TextAttachment(
            contents: TestImages.gif, type: "image/gif", alternateDescription: "flag", size: Size(width: 40, height: 30)
        )
        scene.view.store.restyle { $0.set(other, of: AttachmentAttribute.self, in: 2..<3) }
        let rect = try #require(scene.paint().images.first)
        #expect(rect.image !== first)
        #expect(
            scene.damage.contains {
                $0.intersects(ViewRect(x: rect.rect.minX, y: rect.rect.minY, width: 40, height: 30))
            })
    }

    /// The view stays responsive while images are decoded.
    @Test func anImageIsDecodedOffTheThreadAndPaintedWhenItCame() async throws {
        let attachment = try #require(TextAttachment(image: TestImages.jpeg))
        let cache = ImageCache()
        var early: CanvasImage?
        await withCheckedContinuation { done in
            early = cache.image(of: attachment, width: 4, height: 3) { done.resume() }
        }
        let known = cache.image(of: attachment, width: 4, height: 3) {}
        let image = try #require(known)
        #expect(early == nil && image.width == 4 && image.height == 3)
        // The image in the old size is shown until the one in the new size is decoded.
        #expect(cache.image(of: attachment, width: 8, height: 6) {} === image)
    }

    @Test func withoutAThreadAnImageIsDecodedAtOnce() throws {
        let attachment = try #require(TextAttachment(image: TestImages.jpeg))
        let cache = ImageCache(startThread: { _ in false })
        let first = cache.image(of: attachment, width: 4, height: 3) {}
        let second = cache.image(of: attachment, width: 8, height: 6) {}
        #expect(first?.width == 4 && second?.width == 8)
    }

    /// Two threads may decode a picture at the same time: both get the cached one, which is counted once.
    @Test func aPictureThatIsDecodedTwiceIsKeptOnce() throws {
        let attachment = try #require(TextAttachment(image: TestImages.png))
        let cache = ImageCache()
        let first = cache.image(of: attachment, width: 8, height: 6, whenDone: nil)
        let memory = cache.memory
        let second = try ImageDecoder.decode(
            attachment.contents, #require(attachment.imageHeader), width: 8, height: 6)
        #expect(cache.keep(second, of: attachment, width: 8, height: 6) === first)
        #expect(cache.image(of: attachment, width: 8, height: 6, whenDone: nil) === first && cache.memory == memory)
    }

    @Test func theCacheKeepsToItsLimit() throws {
        let cache = ImageCache(mostMemory: 2000)
        for number in 0..<40 {
            let attachment = try #require(TextAttachment(image: TestImages.png, alternateDescription: "\(number)"))
            _ = cache.image(of: attachment, width: 8, height: 6, whenDone: nil)
            #expect(cache.memory <= 2000 && cache.memory > 0)
        }
    }
}
