//! Members of the kernel's structures under their kernel names, as attributes of Python objects.
//!
//! A table of names says which there are and which may be written. Values are plain integers; what does not fit
//! into a member is refused.

use fairlane_tcp::{AckSample, RateSample, TcpSock};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyAny;

/// Makes `NAMES` and `get` of a structure.
macro_rules! readable {
    ($module:ident, $type:ty, $($member:ident),* $(,)?) => {
        pub mod $module {
            use super::*;

            pub const NAMES: &[&str] = &[$(stringify!($member)),*];

            pub fn get<'py>(py: Python<'py>, of: &$type, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
                Ok(match name {
                    $(stringify!($member) => Some(of.$member.into_pyobject(py)?.into_any()),)*
                    _ => None,
                })
            }
        }
    };
}

readable!(
    sock,
    TcpSock,
    skc_daddr,
    skc_rcv_saddr,
    skc_dport,
    skc_num,
    skc_family,
    skc_state,
    sk_priority,
    sk_max_pacing_rate,
    sk_sndbuf,
    sk_rcvbuf,
    sk_wmem_queued,
    sk_gso_max_size,
    sk_gso_max_segs,
    sk_pacing_shift,
    fairlane_flow,
    fairlane_jiffy_ns,
    icsk_rto,
    icsk_rto_min,
    icsk_delack_max,
    icsk_ca_state,
    icsk_retransmits,
    icsk_pending,
    icsk_backoff,
    tcp_mstamp,
    tcp_clock_cache,
    tcp_wstamp_ns,
    first_tx_mstamp,
    delivered_mstamp,
    snd_una,
    snd_nxt,
    snd_wnd,
    max_window,
    write_seq,
    pushed_seq,
    high_seq,
    undo_marker,
    tlp_high_seq,
    rcv_nxt,
    rcv_wnd,
    copied_seq,
    mss_cache,
    advmss,
    gso_segs,
    snd_cwnd_clamp,
    snd_cwnd_used,
    prior_ssthresh,
    prior_cwnd,
    prr_delivered,
    prr_out,
    packets_out,
    retrans_out,
    sacked_out,
    lost_out,
    max_packets_out,
    cwnd_usage_seq,
    undo_retrans,
    reordering,
    reord_seen,
    delivered,
    delivered_ce,
    lost,
    rate_delivered,
    rate_interval_us,
    total_retrans,
    dsack_dups,
    segs_in,
    segs_out,
    data_segs_in,
    data_segs_out,
    bytes_sent,
    bytes_acked,
    bytes_received,
    bytes_retrans,
    srtt_us,
    mdev_us,
    mdev_max_us,
    rttvar_us,
    rtt_seq,
    rcv_rtt_us,
    lsndtime,
    retrans_stamp,
    is_cwnd_limited,
    rate_app_limited,
    snd_cwnd,
    snd_cwnd_cnt,
    snd_cwnd_stamp,
    snd_ssthresh,
    sk_pacing_rate,
    sk_pacing_status,
    ecn_flags,
    app_limited,
);

readable!(
    rate_sample,
    RateSample,
    prior_mstamp,
    prior_delivered,
    prior_delivered_ce,
    delivered,
    delivered_ce,
    interval_us,
    snd_interval_us,
    rcv_interval_us,
    rtt_us,
    losses,
    acked_sacked,
    prior_in_flight,
    last_end_seq,
    is_app_limited,
    is_retrans,
    is_ack_delayed,
);

readable!(ack_sample, AckSample, pkts_acked, rtt_us, in_flight);

/// What an algorithm may write: names, the way in, and the way back to TCP.
macro_rules! writable {
    ($($member:ident),* $(,)?) => {
        pub const WRITABLE: &[&str] = &[$(stringify!($member)),*];

        /// False if the name is none of these.
        pub fn set(of: &mut TcpSock, name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
            match name {
                $(stringify!($member) => of.$member = value.extract()?,)*
                _ => return Ok(false),
            }
            Ok(true)
        }

        pub fn take_back(sock: &mut TcpSock, view: &TcpSock) {
            $(sock.$member = view.$member;)*
        }
    };
}

writable!(
    snd_cwnd,
    snd_cwnd_cnt,
    snd_cwnd_stamp,
    snd_ssthresh,
    sk_pacing_rate,
    sk_pacing_status,
    ecn_flags,
    app_limited,
);

/// No such attribute: the message says which there are.
pub fn unknown(of: &str, name: &str) -> PyErr {
    PyAttributeError::new_err(format!("{of} has no member '{name}'"))
}

/// The attribute may not be written: neither may a program in the kernel.
pub fn read_only(name: &str) -> PyErr {
    let writable = WRITABLE.join(", ");
    PyAttributeError::new_err(format!("'{name}' cannot be set; a congestion control may write only {writable}"))
}
