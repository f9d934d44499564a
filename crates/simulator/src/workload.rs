//! Builds the applications of a workload, each with its start time.

use crate::applications::{browser, Application, Call, CallConfig, PageConfig, Video, VideoConfig};
use crate::applications::{Bulk, Iperf3, OnOff, Ping, RequestResponse, Transfer, Writes};
use crate::sizes::SizeSampler;
use fairlane_contract::{FlowConfig, Path, Problem, Scenario, Sizes, Workload};
use fairlane_engine::{Streams, NS_PER_SEC};
use fairlane_transport::Transport;

pub(crate) type Started<T> = (u64, Box<dyn Application<T>>);

/// Applications of one kind, without shared state.
fn one<T: Transport>(start_ns: u64, application: impl Application<T> + 'static) -> Vec<Started<T>> {
    vec![(start_ns, Box::new(application))]
}

/// The applications of entry `group` of the scenario: one or many, which become the flows from `first_flow` on.
///
/// # Errors
/// An invalid distribution; the path of the problem is relative to the flow.
pub(crate) fn applications<T: Transport>(
    config: &FlowConfig,
    group: u32,
    first_flow: u32,
    scenario: &Scenario,
    streams: &Streams,
) -> Result<Vec<Started<T>>, Problem> {
    let start_ns = config.start_ns;
    let end_ns = config.stop_ns.unwrap_or(scenario.duration_ns).min(scenario.duration_ns);
    let under = |key| move |problem: Problem| problem.under(Path::from("workload").key(key));
    Ok(match &config.workload {
        Workload::Bulk => one(start_ns, Bulk),
        Workload::Iperf3 => one(start_ns, Iperf3::new()),
        &Workload::Bytes { bytes } => one(start_ns, Transfer { bytes }),
        &Workload::RequestResponse { request_bytes, response_bytes, think_ns } => {
            one(start_ns, RequestResponse::new(request_bytes, response_bytes, think_ns))
        }
        &Workload::Ping { interval_ns, bytes } => one(start_ns, Ping::new(interval_ns, bytes)),
        &Workload::Writes { bytes, interval_ns } => one(start_ns, Writes::new(bytes, interval_ns)),
        &Workload::OnOff { on_ns, off_ns, exponential } => {
            let random = exponential.then(|| streams.stream("on-off", u64::from(group)));
            one(start_ns, OnOff::new(on_ns, off_ns, random))
        }
        Workload::PoissonFlows { rate_per_s, mean_bytes, sizes } => {
            let exponential = Sizes::Exponential { mean_bytes: mean_bytes.unwrap_or(1) };
            let sizes = SizeSampler::new(sizes.as_ref().unwrap_or(&exponential)).map_err(under("sizes"))?;
            let mut random = streams.stream("poisson", u64::from(group));
            let mean_gap_ns = (NS_PER_SEC as f64 / rate_per_s) as u64;
            let mut flows: Vec<Started<T>> = Vec::new();
            let mut at_ns = start_ns + random.exponential_ns(mean_gap_ns);
            while at_ns < end_ns {
                flows.push((at_ns, Box::new(Transfer { bytes: sizes.draw(&mut random) })));
                at_ns += random.exponential_ns(mean_gap_ns).max(1);
            }
            flows
        }
        Workload::Arrivals { arrivals } => arrivals
            .iter()
            .map(|arrival| (start_ns.saturating_add(arrival.start_ns), arrival.bytes))
            .filter(|&(at_ns, _)| at_ns < end_ns)
            .map(|(at_ns, bytes)| (at_ns, Box::new(Transfer { bytes }) as Box<dyn Application<T>>))
            .collect(),
        Workload::Web {
            connections,
            concurrent_requests,
            request_bytes,
            document_bytes,
            objects,
            object_sizes,
            parse_ns,
            think_ns,
        } => {
            let page = PageConfig {
                concurrent_requests: *concurrent_requests,
                request_bytes: *request_bytes,
                document_bytes: *document_bytes,
                objects: *objects,
                object_sizes: SizeSampler::new(object_sizes).map_err(under("object_sizes"))?,
                parse_ns: *parse_ns,
                think_ns: *think_ns,
            };
            let connections = browser(page, *connections, first_flow, streams.stream("web", u64::from(group)));
            connections.into_iter().map(|connection| (start_ns, connection)).collect()
        }
        Workload::Video { ladder_bps, segment_ns, buffer_ns, adaptation, request_bytes } => one(
            start_ns,
            Video::new(VideoConfig {
                ladder_bps: ladder_bps.clone(),
                segment_ns: *segment_ns,
                buffer_ns: *buffer_ns,
                adaptation: *adaptation,
                request_bytes: *request_bytes,
            }),
        ),
        Workload::Call {
            frame_interval_ns,
            ladder_bps,
            late_ns,
            feedback_interval_ns,
            delay_limit_ns,
            raise_after_ns,
        } => one(
            start_ns,
            Call::new(CallConfig {
                frame_interval_ns: *frame_interval_ns,
                ladder_bps: ladder_bps.clone(),
                late_ns: *late_ns,
                feedback_interval_ns: *feedback_interval_ns,
                delay_limit_ns: *delay_limit_ns,
                raise_after_ns: *raise_after_ns,
            }),
        ),
    })
}
