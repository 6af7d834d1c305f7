import ArgumentParser

/// Measures the figures on the Performance page. Each subcommand prints the figures of one part, to be compared as ratios
/// within one run.
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
