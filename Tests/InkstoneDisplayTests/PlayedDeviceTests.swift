import DisplayTestSupport
import Inkstone
import InkstoneInput
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// Scroll wheels with axes, as real mice and touchpads have, on an X server with simulated devices.
    @Suite struct PlayedDeviceTests {
        private func makeScene() throws -> PlayedScene { try PlayedScene((0..<400).map { "line \($0)\n" }.joined()) }

        private func isInstalled() throws -> Bool {
            try NotRun.unless(PlayedDevices.areInstalled, "needs Xorg with its drivers dummy and inputtest")
        }

        /// Compares the scrolled distance in wheel clicks. Scrolling is rounded to whole pixels, so a fraction of a
        /// line is tolerated.
        private func expect(_ clicks: Double, _ scene: PlayedScene, _ comment: Comment? = nil) {
            let found = scene.clicks
            #expect(abs(found - clicks) < 0.05, comment)
        }

        /// Covers INT 03, INT 04, INT 05 of the checklist for interaction.
        @Test func fineStepsScrollOnceAndFromTheFirstOn() throws {
            guard try isInstalled() else { return }
            let scene = try makeScene()
            defer { scene.end() }
            scene.point(inside: true)
            scene.devices.turnWheel(dy: 120)
            expect(1, scene, "a click of an axis scrolls once, although the server makes a button of it")
            for _ in 0..<3 { scene.devices.turnWheel(dy: 40) }
            expect(2, scene, "three thirds of a click")
            scene.devices.turnWheel(dy: 15)
            expect(2.125, scene)
            scene.devices.turnWheel(dy: -135)
            expect(1, scene, "and back")
            // Scrolling outside of the window must not affect it, although it changes the axis value.
            scene.point(inside: false)
            scene.devices.turnWheel(dy: 240)
            scene.point(inside: true)
            expect(1, scene)
            scene.devices.turnWheel(dy: 15)
            expect(1.125, scene, "240 outside and 15 inside scroll by 15")
        }

        /// INT 06. Tests every order in which the pointer enters, another device takes over and the wheel turns.
        @Test func noTickIsLostOrDoubledBetweenDevicesAndWindows() throws {
            guard try isInstalled() else { return }
            let scene = try makeScene()
            defer { scene.end() }
            scene.point(inside: true)
            scene.scene.probe.button(5, down: true)
            scene.scene.probe.button(5, down: false)
            scene.scene.probe.sync()
            expect(1, scene, "a device without axes scrolls by buttons")
            scene.devices.turnWheel(dy: 120)
            expect(2, scene, "the first tick of the other device counts")
            // Perform everything before the program handles events.
            scene.devices.moveMouse(dx: -3000, dy: -3000)
            scene.devices.turnWheel(dy: 360)
            scene.devices.moveMouse(dx: 150, dy: 150)
            scene.devices.turnWheel(dy: 120)
            scene.devices.turnWheel(dy: 120)
            expect(4, scene, "ticks that are older than the answer to the question for the base")
            scene.devices.button(1, down: true)
            scene.devices.turnWheel(dy: 120)
            expect(5, scene, "while a button is down")
            scene.devices.button(1, down: false)
            scene.devices.turnWheel(dy: 60)
            expect(5.5, scene)
        }

        /// INT 01. A driver may post button events for the wheel itself; the server turns them into axis values,
        /// with which the buttons may not agree.
        @Test func aWheelWithAxesWhoseDriverPostsButtonsScrollsOnce() throws {
            guard try isInstalled() else { return }
            let scene = try makeScene()
            defer { scene.end() }
            scene.point(inside: true)
            func click(_ button: UInt32) {
                scene.devices.button(button, down: true)
                scene.devices.button(button, down: false)
            }
            click(5)
            expect(1, scene)
            scene.devices.turnWheel(dy: 40)
            click(5)
            expect(2 + 1 / 3, scene, "with a fraction of a click before it")
            click(4)
            click(5)
            click(5)
            expect(3 + 1 / 3, scene)
        }

        /// INT 07. For each whole click the server makes a button event, whose grab causes crossing events; these
        /// must not reset the axis.
        @Test func crossingsOfButtonsThatTheServerMakesChangeNoBase() throws {
            guard try isInstalled() else { return }
            let scene = try makeScene()
            defer { scene.end() }
            scene.point(inside: true)
            for _ in 0..<4 {
                scene.devices.turnWheel(dy: 120)
                scene.devices.turnWheel(dy: 15)
            }
            expect(4.5, scene, "all of it before the program looks")
            for step in 1...4 {
                scene.devices.button(1, down: true)
                scene.devices.turnWheel(dy: 15)
                scene.devices.button(1, down: false)
                scene.devices.turnWheel(dy: -120)
                expect(4.5 - Double(step) * 0.875, scene)
            }
        }

        /// Covers INT 11 of the checklist for interaction.
        @Test func controlAndTheWheelZoomByWholeClicks() throws {
            guard try isInstalled() else { return }
            let scene = try makeScene()
            defer { scene.end() }
            var commands: [EditCommand] = []
            scene.view.onCommand = {
                commands.append($0)
                return true
            }
            scene.point(inside: true)
            scene.scene.probe.key(TestKey.leftControl.keycode, down: true)
            scene.scene.probe.sync()
            for _ in 0..<3 { scene.devices.turnWheel(dy: -30) }
            expect(0, scene, "nothing scrolls")
            #expect(commands.isEmpty, "three quarters of a click")
            scene.devices.turnWheel(dy: -30)
            scene.devices.turnWheel(dy: -120)
            expect(0, scene)
            #expect(commands == [.makeTextLarger, .makeTextLarger])
            scene.devices.turnWheel(dy: 120)
            expect(0, scene)
            #expect(commands.last == .makeTextSmaller && commands.count == 3)
            scene.scene.probe.key(TestKey.leftControl.keycode, down: false)
            scene.scene.probe.sync()
            scene.devices.turnWheel(dy: 120)
            expect(1, scene)
            #expect(commands.count == 3)
        }
    }
}
