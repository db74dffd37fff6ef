//! A count of the bytes that the readers of the core look at: tests and the fuzzer hold the cost of a reading by it and not by
//! a clock. In the program it is nothing.

#[cfg(any(test, fuzzing))]
thread_local! {
    static SCANNED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Says that a text of so many bytes is looked at. One more is counted, so that looking at nothing is not for nothing.
#[inline]
pub(crate) fn scanned(bytes: usize) {
    #[cfg(any(test, fuzzing))]
    SCANNED.with(|count| count.set(count.get() + bytes as u64 + 1));
    #[cfg(not(any(test, fuzzing)))]
    let _ = bytes;
}

/// How many bytes were looked at while `work` ran, and what it came to.
#[cfg(any(test, fuzzing))]
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = SCANNED.get();
    let done = work();
    (done, SCANNED.get() - before)
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
