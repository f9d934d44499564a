//! The layout contract with `algorithms/interface/native/fairlane/sock.h`.
//!
//! Every program carries a table of where its compiler put each member; it must agree with where ours did.

use crate::error::LoadError;
use fairlane_tcp::{AckSample, RateSample, TcpSock};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::mem::{offset_of, size_of};

/// `struct tcp_congestion_ops` as native programs have it. A callback gets its arguments as an array of words.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Ops {
    pub ssthresh: *const c_void,
    pub cong_avoid: *const c_void,
    pub set_state: *const c_void,
    pub cwnd_event: *const c_void,
    pub in_ack_event: *const c_void,
    pub pkts_acked: *const c_void,
    pub min_tso_segs: *const c_void,
    pub cong_control: *const c_void,
    pub undo_cwnd: *const c_void,
    pub sndbuf_expand: *const c_void,
    pub get_info: *const c_void,
    pub name: [u8; 16],
    pub owner: *const c_void,
    pub init: *const c_void,
    pub release: *const c_void,
    pub key: u32,
    pub flags: u32,
}

/// A member's place: offset and size in bytes.
pub type Place = (u32, u32);

/// Fails on the first member that is not where the simulator has it, or that one side does not know.
pub fn check(algorithm: &str, theirs: &BTreeMap<String, Place>) -> Result<(), LoadError> {
    let ours = ours();
    let show = |place: Option<&Place>| match place {
        Some((offset, bytes)) => format!("{offset} ({bytes} bytes)"),
        None => "none".into(),
    };
    for name in ours.keys().map(|name| (*name).to_owned()).chain(theirs.keys().cloned()) {
        let (their, our) = (theirs.get(&name), ours.get(name.as_str()));
        if their != our {
            return Err(LoadError::LayoutDiffers {
                algorithm: algorithm.into(),
                member: name.clone(),
                theirs: show(their),
                ours: show(our),
            });
        }
    }
    Ok(())
}

/// Where the members of `TcpSock` are.
pub fn sock_members() -> impl Iterator<Item = Place> {
    let totals = ["tcp_sock", "rate_sample", "ack_sample", "ops"];
    ours().into_iter().filter(move |(name, _)| !name.contains('.') && !totals.contains(name)).map(|(_, place)| place)
}

/// Members of one structure as `(name, (offset, size))`.
macro_rules! places {
    ($type:ty, $prefix:literal, $($field:ident),+ $(,)?) => {
        [$((concat!($prefix, stringify!($field)), (
            offset_of!($type, $field) as u32,
            size_of_member(|value: &$type| &value.$field) as u32,
        ))),+]
    };
}

const fn size_of_member<S, T>(_: fn(&S) -> &T) -> usize {
    size_of::<T>()
}

fn ours() -> BTreeMap<&'static str, Place> {
    let sock = places!(
        TcpSock,
        "",
        skc_daddr,
        skc_rcv_saddr,
        skc_dport,
        skc_num,
        skc_family,
        skc_state,
        sk_priority,
        sk_pacing_status,
        sk_pacing_rate,
        sk_max_pacing_rate,
        sk_sndbuf,
        sk_rcvbuf,
        sk_wmem_queued,
        sk_gso_max_size,
        sk_gso_max_segs,
        sk_pacing_shift,
        fairlane_flow,
        fairlane_random,
        fairlane_jiffy_ns,
        fairlane_ack_seq,
        fairlane_ack_asked,
        fairlane_ack_ece,
        inet_saddr,
        inet_sport,
        icsk_ca_ops,
        icsk_rto,
        icsk_rto_min,
        icsk_delack_max,
        icsk_ca_state,
        icsk_retransmits,
        icsk_pending,
        icsk_backoff,
        icsk_ca_priv,
        icsk_ack_pending,
        icsk_ack_quick,
        icsk_ack_pingpong,
        icsk_ack_retry,
        icsk_ack_ato,
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
        snd_cwnd,
        snd_cwnd_cnt,
        snd_cwnd_clamp,
        snd_cwnd_used,
        snd_cwnd_stamp,
        snd_ssthresh,
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
        app_limited,
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
        rtt_min,
        rcv_rtt_us,
        lsndtime,
        retrans_stamp,
        rack_mstamp,
        rack_rtt_us,
        rack_end_seq,
        rack_last_delivered,
        rack_reo_wnd_steps,
        rack_reo_wnd_persist,
        rack_dsack_seen,
        rack_advanced,
        is_cwnd_limited,
        rate_app_limited,
        is_sack_reneg,
        ecn_flags,
        nonagle,
        frto,
        tcp_usec_ts,
        tlp_retrans,
    );
    let rate = places!(
        RateSample,
        "rate_sample.",
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
    let ack = places!(AckSample, "ack_sample.", pkts_acked, rtt_us, in_flight);
    let ops = places!(
        Ops,
        "ops.",
        ssthresh,
        cong_avoid,
        set_state,
        cwnd_event,
        in_ack_event,
        pkts_acked,
        min_tso_segs,
        cong_control,
        undo_cwnd,
        sndbuf_expand,
        get_info,
        name,
        init,
        release,
        flags,
    );
    let sizes = [
        ("tcp_sock", (0, size_of::<TcpSock>() as u32)),
        ("rate_sample", (0, size_of::<RateSample>() as u32)),
        ("ack_sample", (0, size_of::<AckSample>() as u32)),
        ("ops", (0, size_of::<Ops>() as u32)),
    ];
    sock.into_iter().chain(rate).chain(ack).chain(ops).chain(sizes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn theirs() -> BTreeMap<String, Place> {
        ours().into_iter().map(|(name, place)| (name.to_owned(), place)).collect()
    }

    #[test]
    fn a_moved_or_missing_member_is_named() {
        assert!(check("toy", &theirs()).is_ok());
        let mut moved = theirs();
        moved.get_mut("snd_cwnd").expect("is known").0 += 4;
        let message = check("toy", &moved).unwrap_err().to_string();
        assert!(message.contains("snd_cwnd"), "{message}");
        let mut missing = theirs();
        missing.remove("rate_sample.losses");
        let message = check("toy", &missing).unwrap_err().to_string();
        assert!(message.contains("rate_sample.losses") && message.contains("none"), "{message}");
    }
}
