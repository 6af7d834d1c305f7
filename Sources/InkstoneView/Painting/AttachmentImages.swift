import Glibc
import InkstoneBase
import InkstoneImages
import InkstoneLayout
import InkstoneText
import Synchronization

/// A cache of the decoded images of attachments, shared by all views of the process. Usable from any thread.
///
/// A background thread decodes the requested images, and ends when no request is left. When the images together
/// exceed a limit, the least recently requested ones are dropped.
final class ImageCache: Sendable {
    static let shared = ImageCache()

    private struct Entry {
        var width: Int
        var height: Int
        /// The image; nil if the attachment cannot be decoded.
        var image: CanvasImage?
        var lastUse: Int
    }

    private struct Request {
        var attachment: TextAttachment
        var width: Int
        var height: Int
        var whenDone: [@Sendable () -> Void]
    }

    private struct State {
        var entries: [TextAttachment: [Entry]] = [:]
        var waiting: [Request] = []
        /// The request whose image is being decoded; nil for none.
        var running: Request?
        var isRunning = false
        var clock = 0
        var memory = 0
    }

    private let state = Mutex(State())
    private let mostMemory: Int
    /// Starts a thread that runs a closure; returns whether that succeeded. Tests replace it.
    private let startThread: @Sendable (@escaping @Sendable () -> Void) -> Bool
    /// The longest queue of requests. A further request drops the oldest one, which is made again when its image is
    /// painted again.
    private static let mostWaiting = 1024

    /// Creates a cache of at most `mostMemory` bytes. It keeps one image even if that is larger.
    init(
        mostMemory: Int = 64 << 20,
        startThread: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = {
            guard let thread = try? BackgroundThread.start($0) else { return false }
            pthread_detach(thread)
            return true
        }
    ) {
        (self.mostMemory, self.startThread) = (mostMemory, startThread)
    }

    /// The number of bytes of the images, and of the attachments' contents that serve as keys.
    var memory: Int { state.withLock { $0.memory } }

    /// Returns the image of an attachment for a size in device pixels. While the image is being decoded, returns
    /// one of another size if there is one; otherwise nil. Nil also if the attachment cannot be decoded.
    ///
    /// - Parameter whenDone: called on another thread when the image has been decoded or has failed to decode. Not
    ///   called if the image was decoded before, or if the request is dropped. If nil, or if no thread can be started,
    ///   this call blocks until the image is decoded.
    func image(
        of attachment: TextAttachment, width: Int, height: Int, whenDone: (@Sendable () -> Void)?
    ) -> CanvasImage? {
        let (known, mustStart) = state.withLock { state -> (known: CanvasImage??, mustStart: Bool) in
            state.clock += 1
            let entries = state.entries[attachment] ?? []
            if let index = entries.firstIndex(where: { ($0.width, $0.height) == (width, height) }) {
                state.entries[attachment]?[index].lastUse = state.clock
                return (.some(entries[index].image), false)
            }
            guard let whenDone else { return (nil, false) }
            if let running = state.running, (running.width, running.height) == (width, height),
                running.attachment == attachment
            {
                state.running?.whenDone.append(whenDone)
            } else if let index = state.waiting.firstIndex(where: {
                ($0.width, $0.height) == (width, height) && $0.attachment == attachment
            }) {
                state.waiting[index].whenDone.append(whenDone)
            } else {
                if state.waiting.count >= Self.mostWaiting { state.waiting.removeFirst() }
                state.waiting.append(
                    Request(attachment: attachment, width: width, height: height, whenDone: [whenDone]))
            }
            defer { state.isRunning = true }
            return (.some(entries.last?.image), !state.isRunning)
        }
        if mustStart, !startThread({ self.run() }) {
            // No thread takes the requests: withdraw them, and decode this image here. Requests that other threads have
            // made meanwhile end, so that these images are painted, and requested, again.
            let withdrawn = state.withLock { state in
                defer { (state.waiting, state.isRunning) = ([], false) }
                return state.waiting
            }
            let image = keep(Self.decoded(attachment, width, height), of: attachment, width: width, height: height)
            for done in withdrawn.flatMap(\.whenDone) { done() }
            return image
        }
        if let known { return known }
        return keep(Self.decoded(attachment, width, height), of: attachment, width: width, height: height)
    }

    /// Decodes the requests, the latest first. The latest request is most likely for an image that is visible now.
    private func run() {
        while true {
            let request = state.withLock { state -> Request? in
                if state.waiting.isEmpty { state.isRunning = false }
                state.running = state.waiting.popLast()
                return state.running
            }
            guard let request else { return }
            let image = Self.decoded(request.attachment, request.width, request.height)
            keep(image, of: request.attachment, width: request.width, height: request.height)
            let whenDone = state.withLock { state in
                defer { state.running = nil }
                return state.running?.whenDone ?? []
            }
            for done in whenDone { done() }
        }
    }

    private static func decoded(_ attachment: TextAttachment, _ width: Int, _ height: Int) -> CanvasImage? {
        attachment.imageHeader.flatMap {
            try? ImageDecoder.decode(attachment.contents, $0, width: width, height: height)
        }
    }

    /// Adds a decoded image, unless another thread has added it first. Returns the image that the cache contains.
    @discardableResult
    func keep(_ image: CanvasImage?, of attachment: TextAttachment, width: Int, height: Int) -> CanvasImage? {
        state.withLock { state in
            state.clock += 1
            let known = state.entries[attachment]?.first { ($0.width, $0.height) == (width, height) }
            if let known { return known.image }
            let entry = Entry(width: width, height: height, image: image, lastUse: state.clock)
            state.entries[attachment, default: []].append(entry)
            state.memory += Self.cost(entry, of: attachment)
            guard state.memory > mostMemory else { return image }
            let all = state.entries.flatMap { key, entries in entries.map { (key, $0) } }
            for (key, old) in all.sorted(by: { $0.1.lastUse < $1.1.lastUse }).dropLast()
            where state.memory > mostMemory / 2 {
                state.entries[key]?.removeAll { $0.lastUse == old.lastUse }
                if state.entries[key]?.isEmpty == true { state.entries[key] = nil }
                state.memory -= Self.cost(old, of: key)
            }
            return image
        }
    }

    private static func cost(_ entry: Entry, of attachment: TextAttachment) -> Int {
        4 * (entry.image?.pixels.count ?? 0) + attachment.contents.count
    }
}

/// The images of attachments that a view paints.
final class AttachmentImages {
    /// Runs a closure on the view's thread, soon.
    typealias Post = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Returns the function that runs closures on the view's thread. If it returns nil, painting blocks until
    /// images are decoded.
    var post: () -> Post? = { nil }
    /// Called when a missing image has been decoded.
    var onLoad: ((TextAttachment) -> Void)?
    private let cache: ImageCache
    private let target = Target()

    /// A weak reference to the view's images. Another thread may hold it, but only passes it on to the view's
    /// thread.
    private final class Target: @unchecked Sendable {
        weak var images: AttachmentImages?
    }

    init(_ cache: ImageCache = .shared) {
        self.cache = cache
        target.images = self
    }

    /// Returns the image of an attachment for a size in device pixels. Nil if there is no image, if it is too large or
    /// cannot be decoded, and while it is being decoded, unless it is known in another size.
    func image(of attachment: TextAttachment, _ size: Size) -> CanvasImage? {
        guard let header = attachment.imageHeader, !header.isTooLarge else { return nil }
        let done = post().map { [target] post -> @Sendable () -> Void in
            { post { target.images?.onLoad?(attachment) } }
        }
        return cache.image(of: attachment, width: Int(size.width), height: Int(size.height), whenDone: done)
    }
}

extension Painter {
    /// Paints the attachments of fragments: the image or, if it is missing, a frame; and the selection's colour
    /// over a selected attachment.
    func paintAttachments(
        of fragments: [TextLayoutFragment], _ scene: TextScene, within area: DocumentRect, on canvas: any Canvas
    ) {
        let placed = fragments.lazy.filter(\.hasAttachments).flatMap(\.textLineFragments).flatMap(\.attachments)
        for placed in placed
        where placed.frame.intersects(area) && scene.views?.showsView(for: placed.attachment) != true {
            let rect = scene.viewport.windowRect(placed.frame)
            if let image = images.image(of: placed.attachment, placed.frame.size) {
                canvas.draw(image, in: rect)
            } else {
                paintFrame(rect, on: canvas)
            }
            let isSelected =
                scene.selection?.ranges(touching: placed.offset..<(placed.offset + 1)).contains {
                    $0.range.contains(placed.offset)
                } == true
            if isSelected {
                canvas.fill(rect, (scene.isFocused ? theme.selection : theme.inactiveSelection).withAlpha(0x80))
            }
        }
    }

    /// Paints a frame in the theme's placeholder colour.
    private func paintFrame(_ rect: WindowRect, on canvas: any Canvas) {
        let line = min(theme.underlineWidth, rect.width / 2, rect.height / 2)
        canvas.fill(WindowRect(x: rect.minX, y: rect.minY, width: rect.width, height: line), theme.placeholder)
        canvas.fill(WindowRect(x: rect.minX, y: rect.maxY - line, width: rect.width, height: line), theme.placeholder)
        let (top, height) = (rect.minY + line, rect.height - 2 * line)
        canvas.fill(WindowRect(x: rect.minX, y: top, width: line, height: height), theme.placeholder)
        canvas.fill(WindowRect(x: rect.maxX - line, y: top, width: line, height: height), theme.placeholder)
    }
}

extension TextPresenter {
    /// Damages the visible occurrences of an attachment.
    func attachmentDidLoad(_ attachment: TextAttachment) {
        for fragment in layout.textLayoutFragments(in: viewport.visibleDocumentRect) {
            for placed in fragment.textLineFragments.flatMap(\.attachments) where placed.attachment == attachment {
                setNeedsDisplay(offsets: placed.offset..<(placed.offset + 1))
            }
        }
    }
}
