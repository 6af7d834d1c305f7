import InkstoneBase
import InkstoneLayout

/// Pictures of replaced text that fade out over the new text.
struct TextFade {
    /// The duration of a fade and the time between its steps, in milliseconds.
    static let (duration, step): (Int64, Int64) = (200, 16)
    /// The largest number of lines that fade at a time. If more lines are replaced, the remaining ones change at
    /// once.
    static let lineLimit = 64

    /// The pictures, at their present positions in the view.
    var previews: [TextPreview]
    /// The time at which the fade began, in milliseconds of the view's clock.
    let start: Int64
    /// The font, font settings and frame for which the pictures are valid.
    let font: FontDescriptor
    let settings: FontSettings
    let frame: WindowRect

    init(_ previews: [TextPreview], at start: Int64, in scene: TextScene) {
        (self.previews, self.start) = (previews, start)
        (font, settings, frame) = (scene.layout.font, scene.layout.fontSettings, scene.viewport.frame)
    }

    func isValid(at now: Int64, in scene: TextScene) -> Bool {
        now < start + Self.duration && font == scene.layout.font && settings == scene.layout.fontSettings
            && frame == scene.viewport.frame
    }

    /// Returns the opacity of the pictures at a time: from 1 at the start to 0 at the end.
    func opacity(at now: Int64) -> Double {
        1 - Double(min(max(0, now - start), Self.duration)) / Double(Self.duration)
    }
}

extension Painter {
    /// Paints the pictures of replaced text, and their background, over the new text.
    func paintFades(at now: Int64, of scene: TextScene, on canvas: any Canvas, within visible: ViewRect) {
        for fade in fades where fade.isValid(at: now, in: scene) {
            let opacity = fade.opacity(at: now)
            let background = theme.background.withAlpha(UInt8((Double(theme.background.alpha) * opacity).rounded()))
            for preview in fade.previews where preview.rect.intersects(visible) {
                let viewport = scene.viewport
                canvas.setClip([viewport.windowRect(visible)])
                for part in preview.parts { canvas.fill(viewport.windowRect(part), background) }
                preview.draw(
                    on: canvas, at: viewport.windowRect(preview.rect).origin, opacity: opacity,
                    within: viewport.windowRect(visible))
            }
        }
    }

    /// Damages the pictures of replaced text, and drops those whose fade has ended, or whose font or frame is no longer
    /// that of the view.
    func damageFades(at now: Int64, in scene: TextScene, _ report: Report) {
        for preview in fades.lazy.flatMap(\.previews) { report(.paint(preview.rect)) }
        fades.removeAll { !$0.isValid(at: now, in: scene) }
    }

    /// Returns the time of the next step of a fade, in milliseconds; nil for none.
    func nextFadeStep(at now: Int64) -> Int64? {
        fades.map { min($0.start + TextFade.duration, now + TextFade.step) }.min()
    }

    /// Moves those pictures of replaced text that lie below `y`, in view pixels, down by `dy` pixels.
    func moveFades(below y: Double, by dy: Double) {
        for fade in fades.indices {
            for i in fades[fade].previews.indices where fades[fade].previews[i].rect.minY >= y {
                fades[fade].previews[i].move(by: dy)
            }
        }
    }
}

extension TextPreview {
    fileprivate mutating func move(by dy: Double) {
        rect.origin.y += dy
        baseline += dy
        for i in parts.indices { parts[i].origin.y += dy }
    }
}
