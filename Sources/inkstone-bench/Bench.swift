import ArgumentParser

/// The program that measures the figures on the Performance page. Each subcommand prints the figures of one part.
/// Compare figures as ratios within the same run.
@main
struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inkstone-bench", abstract: "Measure Inkstone.",
        subcommands: [
            StoreBench.self, LayoutBench.self, KeyBench.self, WindowBench.self, PeerBench.self, PageBench.self,
            InstructionBench.self, DecorationBench.self, StyleBench.self, RichBench.self, FindBench.self,
            PrintBench.self, ReaderBench.self, ReaderPeer.self, ProxyBench.self, HostilePeer.self, TrafficBench.self,
        ])
}
