//! One flow's congestion control: an object of the class, and the trait's methods as calls of its methods.

use super::objects::{PythonAckSample, PythonRateSample, Sock};
use super::Run;
use fairlane_congestion_control::{
    wrapped_value, AckSample, AlgorithmFault, CaEvent, Callbacks, CongestionControl, FaultKind, RateSample, TcpSock,
    MAX_CWND,
};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

/// After a fault the object is not called again, and answers are harmless defaults.
pub(super) struct PythonFlow {
    class: Py<PyAny>,
    name: String,
    callbacks: Callbacks,
    object: Option<Object>,
    fault: Option<AlgorithmFault>,
    run: Arc<Run>,
}

/// The parts that exist from the start of the connection.
struct Object {
    object: Py<PyAny>,
    view: Py<Sock>,
    /// `running` of `fairlane.algorithm.prototype.watchdog`, and this thread's entry.
    running: Py<PyDict>,
    thread: Py<PyAny>,
}

impl PythonFlow {
    pub fn new(class: Py<PyAny>, name: String, callbacks: Callbacks, run: Arc<Run>) -> Self {
        Self { class, name, callbacks, object: None, fault: None, run }
    }

    fn make(&self, py: Python<'_>, sock: &TcpSock) -> PyResult<Object> {
        Ok(Object {
            object: self.class.call0(py)?,
            view: Py::new(py, Sock { state: sock.clone() })?,
            running: py
                .import("fairlane.algorithm.prototype.watchdog")?
                .getattr("running")?
                .cast_into::<PyDict>()?
                .unbind(),
            thread: py.import("threading")?.call_method0("get_ident")?.unbind(),
        })
    }

    /// Calls a method with the connection and the result of `arguments`.
    fn call<'py>(
        &mut self,
        py: Python<'py>,
        sock: &mut TcpSock,
        callback: &'static str,
        arguments: impl FnOnce(Bound<'py, Sock>) -> PyResult<Bound<'py, PyTuple>>,
    ) -> Option<Bound<'py, PyAny>> {
        if self.fault.is_some() {
            return None;
        }
        let Object { object, view, running, thread } = self.object.as_ref()?;
        let (view, running) = (view.bind(py), running.bind(py));
        view.borrow_mut().state = sock.clone();
        let calls = self.run.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let answer = arguments(view.clone()).and_then(|arguments| {
            running.set_item(thread, calls)?;
            let answer = object.bind(py).call_method1(callback, arguments);
            running.set_item(thread, 0)?;
            answer
        });
        sock.take_writable(&view.borrow().state);
        match answer {
            Ok(answer) => match wrapped_value(sock) {
                None => Some(answer),
                Some(kind) => {
                    self.record(callback, kind);
                    sock.snd_cwnd = sock.snd_cwnd.clamp(1, MAX_CWND); // a window of 0 would stop the connection forever
                    None
                }
            },
            Err(error) => {
                sock.snd_cwnd = sock.snd_cwnd.max(1);
                self.fail(py, callback, error);
                None
            }
        }
    }

    /// The same for a callback that returns a number.
    fn ask<'py>(&mut self, py: Python<'py>, sock: &mut TcpSock, callback: &'static str, instead: u32) -> u32 {
        let Some(answer) = self.call(py, sock, callback, |view| (view,).into_pyobject(py)) else { return instead };
        match answer.extract() {
            Ok(number) => number,
            Err(_) => {
                let text = answer.repr().map_or_else(|_| "something".into(), |text| text.to_string());
                self.record(callback, FaultKind::Other(format!("returned {text}, not an integer from 0 to 2^32 - 1,")));
                instead
            }
        }
    }

    /// The same for a callback that returns a window.
    fn ask_window(&mut self, sock: &mut TcpSock, callback: &'static str, instead: u32) -> u32 {
        let window = Python::attach(|py| self.ask(py, sock, callback, instead));
        if window > MAX_CWND {
            self.record(callback, FaultKind::Answer(window));
            return instead;
        }
        window
    }

    fn tell(&mut self, sock: &mut TcpSock, callback: &'static str, value: u32) {
        Python::attach(|py| {
            self.call(py, sock, callback, |view| (view, value).into_pyobject(py));
        });
    }

    fn record(&mut self, callback: &'static str, kind: FaultKind) {
        self.fault = Some(AlgorithmFault { algorithm: self.name.clone(), callback, kind });
    }

    fn fail(&mut self, py: Python<'_>, callback: &'static str, error: PyErr) {
        let loading = py.import("fairlane.algorithm.prototype.loading");
        if loading.as_ref().is_ok_and(|loading| is_endless_loop(loading, &error)) {
            return self.record(callback, FaultKind::EndlessLoop);
        }
        let text = loading
            .and_then(|loading| loading.call_method1("describe_error", (error.value(py), error.traceback(py))))
            .and_then(|text| text.extract::<String>())
            .unwrap_or_else(|_| error.to_string());
        if !error.is_instance_of::<PyException>(py) {
            *self.run.interruption.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
        self.record(callback, FaultKind::Other(format!("raised {text}")));
    }
}

fn is_endless_loop(loading: &Bound<'_, PyModule>, error: &PyErr) -> bool {
    loading.getattr("EndlessLoop").is_ok_and(|kind| error.matches(loading.py(), kind).unwrap_or(false))
}

impl CongestionControl for PythonFlow {
    fn callbacks(&self) -> Callbacks {
        self.callbacks
    }

    fn init(&mut self, sock: &mut TcpSock) {
        Python::attach(|py| {
            match self.make(py, sock) {
                Ok(made) => self.object = Some(made),
                Err(error) => return self.fail(py, "__init__", error),
            }
            if self.callbacks.init {
                self.call(py, sock, "init", |view| (view,).into_pyobject(py));
            }
        });
    }

    fn release(&mut self, sock: &mut TcpSock) {
        Python::attach(|py| {
            self.call(py, sock, "release", |view| (view,).into_pyobject(py));
        });
    }

    fn ssthresh(&mut self, sock: &mut TcpSock) -> u32 {
        let half = (sock.snd_cwnd / 2).max(2);
        self.ask_window(sock, "ssthresh", half)
    }

    fn cong_avoid(&mut self, sock: &mut TcpSock, ack: u32, acked: u32) {
        Python::attach(|py| {
            self.call(py, sock, "cong_avoid", |view| (view, ack, acked).into_pyobject(py));
        });
    }

    fn cong_control(&mut self, sock: &mut TcpSock, ack: u32, flag: i32, sample: &RateSample) {
        Python::attach(|py| {
            self.call(py, sock, "cong_control", |view| {
                (view, ack, flag, Bound::new(py, PythonRateSample(*sample))?).into_pyobject(py)
            });
        });
    }

    fn set_state(&mut self, sock: &mut TcpSock, new_state: u8) {
        self.tell(sock, "set_state", new_state.into());
    }

    fn cwnd_event(&mut self, sock: &mut TcpSock, event: CaEvent) {
        self.tell(sock, "cwnd_event", event as u32);
    }

    fn in_ack_event(&mut self, sock: &mut TcpSock, flags: u32) {
        self.tell(sock, "in_ack_event", flags);
    }

    fn pkts_acked(&mut self, sock: &mut TcpSock, sample: &AckSample) {
        Python::attach(|py| {
            self.call(py, sock, "pkts_acked", |view| {
                (view, Bound::new(py, PythonAckSample(*sample))?).into_pyobject(py)
            });
        });
    }

    fn undo_cwnd(&mut self, sock: &mut TcpSock) -> u32 {
        let window = sock.snd_cwnd;
        self.ask_window(sock, "undo_cwnd", window)
    }

    fn min_tso_segs(&mut self, sock: &mut TcpSock) -> u32 {
        Python::attach(|py| self.ask(py, sock, "min_tso_segs", 2))
    }

    fn sndbuf_expand(&mut self, sock: &mut TcpSock) -> u32 {
        Python::attach(|py| self.ask(py, sock, "sndbuf_expand", 2))
    }

    fn fault(&self) -> Option<AlgorithmFault> {
        self.fault.clone()
    }
}
