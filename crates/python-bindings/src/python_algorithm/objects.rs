//! The connection and the samples as a Python class sees them.
//!
//! The connection is a copy: callbacks read and write it, and TCP then copies the writable members back.

use super::members;
use fairlane_congestion_control::table::KernelStruct;
use fairlane_congestion_control::{AckSample, RateSample, TcpSock};
use pyo3::prelude::*;

/// A connection: the members of `struct tcp_sock` by their kernel names.
#[pyclass(module = "fairlane._engine")]
pub struct Sock {
    pub state: TcpSock,
}

#[pymethods]
impl Sock {
    /// The smallest RTT of the last minutes, in microseconds: `rtt_min` of the kernel.
    #[getter]
    fn rtt_min_us(&self) -> u32 {
        self.state.rtt_min[0].v
    }

    /// Packets believed to be in the network.
    #[getter]
    fn packets_in_flight(&self) -> u32 {
        self.state.packets_in_flight()
    }

    /// The next number of the flow's own random stream, of 32 bits: `bpf_get_prandom_u32()` of a C program.
    fn random_u32(&mut self) -> u32 {
        let state = &mut self.state.fairlane_random;
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15); // SplitMix64
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 32) as u32
    }

    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        members::get(py, &self.state, "a connection", name)
    }

    fn __setattr__(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        members::set(&mut self.state, "a connection", name, value)
    }

    fn __dir__(&self) -> Vec<&'static str> {
        names::<TcpSock>().chain(["rtt_min_us", "packets_in_flight", "random_u32"]).collect()
    }
}

fn names<S: KernelStruct>() -> impl Iterator<Item = &'static str> {
    members::visible::<S>().map(|member| member.name)
}

/// The sample of `cong_control`: the members of `struct rate_sample`.
#[pyclass(module = "fairlane._engine", frozen, name = "RateSample")]
pub struct PythonRateSample(pub RateSample);

#[pymethods]
impl PythonRateSample {
    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        members::get(py, &self.0, "a rate sample", name)
    }

    fn __dir__(&self) -> Vec<&'static str> {
        names::<RateSample>().collect()
    }
}

/// The sample of `pkts_acked`: the members of `struct ack_sample`.
#[pyclass(module = "fairlane._engine", frozen, name = "AckSample")]
pub struct PythonAckSample(pub AckSample);

#[pymethods]
impl PythonAckSample {
    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        members::get(py, &self.0, "an ACK sample", name)
    }

    fn __dir__(&self) -> Vec<&'static str> {
        names::<AckSample>().collect()
    }
}
