import Dispatch
import Foundation
import Pruning
import TestSupport
import Testing

struct RunControlTests {
    @Test("a stop request wakes every pause at once, and those to come")
    func stop() {
        let control = RunControl(monotonic: systemMonotonic)
        let (started, ended) = (DispatchSemaphore(value: 0), DispatchGroup())
        let begin = systemMonotonic()
        for _ in 0..<3 {
            Thread.detachNewThread {
                started.signal()
                control.pause(.seconds(60))
                ended.leave()
            }
            ended.enter()
        }
        for _ in 0..<3 { started.wait() }
        control.requestStop("enough")
        #expect(ended.wait(timeout: .now() + 10) == .success)
        control.pause(.seconds(60))
        control.pause(.seconds(60))
        #expect(systemMonotonic() - begin < .seconds(10))
    }

    @Test("the first reason to stop stays")
    func reason() {
        let control = RunControl(monotonic: systemMonotonic)
        #expect(control.stopReason == nil)
        control.requestStop("first")
        control.requestStop("second")
        #expect(control.stopReason == "first")
    }

    @Test("a pause that nobody ends takes its time")
    func pause() {
        let control = RunControl(monotonic: systemMonotonic)
        let begin = systemMonotonic()
        control.pause(.milliseconds(20))
        #expect(systemMonotonic() - begin >= .milliseconds(20))
        control.pause(.zero)
        control.pause(.seconds(-1))
    }

    @Test("a worker is alive as long as its last sign of life is fresh")
    func alive() {
        let clock = ManualClock(now: runStart)
        let control = RunControl(monotonic: clock.monotonic)
        clock.advance(by: .seconds(10))
        #expect(control.isAlive(within: .seconds(10)))
        #expect(!control.isAlive(within: .seconds(9)))
        control.beat()
        clock.advance(by: .seconds(5))
        #expect(control.isAlive(within: .seconds(5)))
        clock.advance(by: .milliseconds(1))
        #expect(!control.isAlive(within: .seconds(5)))
    }

    @Test("a clock on the wall that is set says nothing about the worker")
    func wallClock() {
        let clock = ManualClock(now: runStart)
        let control = RunControl(monotonic: clock.monotonic)
        clock.set(.distantFuture)
        #expect(control.isAlive(within: .zero))
    }
}
