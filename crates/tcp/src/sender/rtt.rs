//! Round-trip time: smoothed estimate and deviation (RFC 6298, with Linux's finer deviation), windowed minimum.

use fairlane_congestion_control::sock::TcpSock;

/// Updates the smoothed estimate with one RTT measurement.
///
/// `srtt_us` is scaled by 8 and `mdev_us` by 4, which turns RFC 6298's gains of 1/8 and 1/4 into shifts. Unlike in the
/// RFC, the timeout uses the largest deviation of the last round trip, which falls by at most a quarter per round trip,
/// and a *falling* RTT raises the deviation with an eighth of the gain.
pub(crate) fn update_smoothed(sock: &mut TcpSock, rtt_us: i64, rto_min_us: u32) {
    if sock.srtt_us == 0 {
        sock.srtt_us = ((rtt_us << 3) as u32).max(1);
        sock.mdev_us = (rtt_us << 1) as u32;
        sock.rttvar_us = sock.mdev_us.max(rto_min_us);
        sock.mdev_max_us = sock.rttvar_us;
        sock.rtt_seq = sock.snd_nxt;
        return;
    }
    let mut error = rtt_us - i64::from(sock.srtt_us >> 3);
    let srtt = i64::from(sock.srtt_us) + error;
    if error < 0 {
        error = -error - i64::from(sock.mdev_us >> 2);
        if error > 0 {
            error >>= 3;
        }
    } else {
        error -= i64::from(sock.mdev_us >> 2);
    }
    sock.mdev_us = (i64::from(sock.mdev_us) + error) as u32;
    if sock.mdev_us > sock.mdev_max_us {
        sock.mdev_max_us = sock.mdev_us;
        sock.rttvar_us = sock.rttvar_us.max(sock.mdev_max_us);
    }
    if sock.snd_una.wrapping_sub(sock.rtt_seq) as i32 > 0 {
        if sock.mdev_max_us < sock.rttvar_us {
            sock.rttvar_us -= (sock.rttvar_us - sock.mdev_max_us) >> 2;
        }
        sock.rtt_seq = sock.snd_nxt;
        sock.mdev_max_us = rto_min_us;
    }
    sock.srtt_us = srtt.max(1) as u32;
}

/// The retransmission timeout before backoff, in microseconds (RFC 6298 section 2).
#[inline]
pub(crate) fn rto_us(sock: &TcpSock) -> u32 {
    (sock.srtt_us >> 3) + sock.rttvar_us
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_sample_and_steady_samples_follow_rfc_6298() {
        let mut sock = TcpSock::default();
        update_smoothed(&mut sock, 40_000, 200_000);
        assert_eq!((sock.srtt_us >> 3, sock.mdev_us), (40_000, 80_000));
        assert_eq!(rto_us(&sock), 240_000); // the deviation is held up by the 200 ms floor
        for _ in 0..200 {
            update_smoothed(&mut sock, 80_000, 200_000);
        }
        assert!((sock.srtt_us >> 3).abs_diff(80_000) <= 1);
    }
}
