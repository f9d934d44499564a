//! Cost of a simulator without packets: windows and one queue as fluids, by the differential equations of
//! Misra, Gong and Towsley (SIGCOMM 2000, equations 1 to 5), in steps of a hundredth of the round trip.
//!
//! A window grows by a packet per round trip and loses half at a rate of (packets per second one round trip ago) ×
//! (loss one round trip ago); the queue fills with the excess of arrivals over the rate; its overflow is the loss. It
//! knows neither bursts nor timeouts nor which packet is lost, which is why it is no replacement. `share_of_bound.py`
//! does not run it; compile it with `rustc -O`. Prints data packets delivered per CPU second.
//!
//!     fluid FLOWS RATE_BPS RTT_S SEGMENT_BYTES QUEUE_BDP SECONDS

/// Steps in a round trip without queue, which is also how far the equations look back.
const STEPS: usize = 100;

/// CPU time of this process, from the first field of its schedstat.
fn cpu_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").expect("Linux has /proc/self/schedstat");
    text.split(' ').next().and_then(|field| field.parse().ok()).expect("the first field is a number")
}

fn main() {
    let numbers: Vec<f64> = std::env::args().skip(1).map(|text| text.parse().expect("a number")).collect();
    let [flows, rate_bps, rtt_s, segment_bytes, queue_bdp, seconds] = numbers[..] else {
        panic!("usage: fluid FLOWS RATE_BPS RTT_S SEGMENT_BYTES QUEUE_BDP SECONDS");
    };
    let flows = flows as usize;
    let capacity = rate_bps / 8.0 / (segment_bytes + 52.0); // packets per second
    let limit = capacity * rtt_s * queue_bdp;
    let step_s = rtt_s / STEPS as f64;
    let mut windows: Vec<f64> = (0..flows).map(|flow| 10.0 + flow as f64 * 0.01).collect();
    let mut past_rates = vec![0.0; flows * STEPS]; // by step, then by flow
    let mut past_losses = [0.0; STEPS];
    let (mut queue, mut delivered) = (0.0_f64, 0.0);
    let start_ns = cpu_ns();
    for step in 0..(seconds / step_s) as usize {
        let slot = step % STEPS;
        let delay_s = rtt_s + queue / capacity;
        let past = &mut past_rates[slot * flows..][..flows];
        let past_loss = past_losses[slot];
        let mut arriving = 0.0;
        for (window, past_rate) in windows.iter_mut().zip(past) {
            let growth = 1.0 / delay_s - *window / 2.0 * *past_rate * past_loss;
            *window = (*window + growth * step_s).max(1.0);
            *past_rate = *window / delay_s;
            arriving += *past_rate;
        }
        let sent = capacity.min(arriving + queue / step_s);
        let filled = queue + (arriving - sent) * step_s;
        let overflow = (filled - limit).max(0.0);
        past_losses[slot] = overflow / (arriving * step_s);
        queue = filled.clamp(0.0, limit);
        delivered += sent * step_s;
    }
    let cpu_s = (cpu_ns() - start_ns) as f64 * 1e-9;
    println!("{}", (delivered / cpu_s) as u64);
}
