import InkstoneBase
import InkstoneInput

/// Reads recorded traces with the facts from which a matcher computes the stamps: what was sent, queried and read.
///
/// The n-th key of a trace has the ticket n. The oldest traces lack these facts: there, each key counts as sent at
/// once.
enum TraceMatching {
    /// Parses a trace, and stamps its answers as the input method's thread does.
    static func parse(_ trace: String) -> (records: [TraceRecord], badLines: [Int]) {
        var stamper = Stamper(isSentAtOnce: !trace.contains(#""event":"sent""#))
        var bad: [Int] = []
        for (index, line) in trace.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        where !line.allSatisfy(\.isWhitespace) {
            guard !stamper.takeFact(line) else { continue }
            if let record = TraceRecord(line: line) { stamper.add(record) } else { bad.append(index + 1) }
        }
        return (stamper.records, bad)
    }

    private struct Stamper {
        let isSentAtOnce: Bool
        var records: [TraceRecord] = []
        private var matcher = AnswerMatcher()
        private var preedit = PreeditBuffer()
        private var keys: [KeyEvent] = []
        private var lastSent = 0

        init(isSentAtOnce: Bool) { self.isSentAtOnce = isSentAtOnce }

        /// Handles a fact; returns false for any other line.
        mutating func takeFact(_ line: Substring) -> Bool {
            guard line.contains(#""type":"im""#) else { return false }
            if line.contains(#""event":"asked""#) {
                matcher.didAsk()
            } else if line.contains(#""event":"taken""#) {
                matcher.didAnswer()
            } else if line.contains(#""event":"sent""#), let ticket = line.split(separator: ":").last?.dropLast() {
                send(Int(ticket) ?? 0)
            } else {
                return false
            }
            return true
        }

        private mutating func send(_ ticket: Int) {
            guard keys.indices.contains(ticket - 1) else { return }
            lastSent = ticket
            matcher.didSend(keys[ticket - 1], KeyTicket(rawValue: UInt64(ticket)))
        }

        mutating func add(_ record: TraceRecord) {
            var record = record
            switch record.event {
            case .key(let key):
                keys.append(key)
                if isSentAtOnce { send(keys.count) }
            case .method(let traits): matcher = AnswerMatcher(isInTurn: !traits.returnsKeysOutOfTurn)
            case .event(let event, let batch):
                if let stamp = stamp(event, at: record.time) {
                    records.append(TraceRecord(time: record.time, .event(.stamp(stamp), batch: batch)))
                }
            case .link(let isEngaged, let loss?):
                record.event = .link(isEngaged: isEngaged, loss: whole(loss))
            default: break
            }
            records.append(record)
        }

        /// Completes a recorded loss: the matcher's unanswered keys, and the keys that were never sent.
        private func whole(_ recorded: InputMethodLoss) -> InputMethodLoss {
            var loss = matcher.loss(afterSilence: recorded.silence, InputTiming()).loss
            for (index, key) in keys.enumerated().dropFirst(lastSent) where key.phase != .up {
                loss.owed.append(KeyTicket(rawValue: UInt64(index + 1)))
            }
            return loss
        }

        private mutating func stamp(_ event: InputMethodEvent, at now: Milliseconds) -> AnswerStamp? {
            let old = preedit.scalars
            switch event {
            case .commit: return matcher.didCommit(at: now)
            case .preeditDraw(let draw):
                preedit.apply(draw)
                let hasText = draw.text?.isEmpty == false
                return matcher.didDraw(
                    hasText: hasText, from: old, to: preedit.scalars, isNothing: !hasText && draw.changeLength <= 0,
                    at: now, InputTiming())
            case .preeditDone:
                preedit.finish()
                return matcher.didDraw(
                    hasText: false, from: old, to: [], isNothing: old.isEmpty, at: now, InputTiming())
            case .preeditStart: preedit.start()
            case .key(let key, let ticket?): matcher.didReturn(ticket, isPress: key.phase != .up)
            case .quiet(let ticket): matcher.markAnswered(through: ticket)
            case .resetReply:
                preedit = PreeditBuffer()
                matcher.forgetClearing()
            default: break
            }
            return nil
        }
    }
}
