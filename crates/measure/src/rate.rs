//! Bytes over time.

/// Mean rate in Mbit/s of `bytes` over `duration_ns`; 0 if that is 0.
pub fn mbps(bytes: u64, duration_ns: u64) -> f64 {
    if duration_ns == 0 {
        return 0.0;
    }
    bytes as f64 * 8000.0 / duration_ns as f64
}
