//! Members of the kernel's structures under their kernel names, as attributes of Python objects.
//!
//! `fairlane_congestion_control` declares the members and their access. Values are plain integers.

use fairlane_congestion_control::table::{writable_members, KernelStruct, Member, Number};
use fairlane_congestion_control::TcpSock;
use pyo3::exceptions::{PyAttributeError, PyOverflowError};
use pyo3::prelude::*;
use pyo3::types::PyAny;

/// The members of a structure that are single numbers, except the host's own.
pub fn visible<S: KernelStruct>() -> impl Iterator<Item = &'static Member<S>> {
    S::members().iter().filter(|member| member.is_visible() && !member.c_type.is_empty())
}

pub fn get<'py, S: KernelStruct>(py: Python<'py>, of: &S, what: &str, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let Some(number) = find::<S>(name).and_then(|member| (member.get)(of)) else {
        return Err(unknown::<S>(what, name));
    };
    Ok(match number {
        Number::Signed(value) => value.into_pyobject(py)?.into_any(),
        Number::Unsigned(value) => value.into_pyobject(py)?.into_any(),
    })
}

pub fn set(of: &mut TcpSock, what: &str, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let Some(member) = find::<TcpSock>(name) else { return Err(unknown::<TcpSock>(what, name)) };
    if !member.facts.is_writable() {
        return Err(read_only(name));
    }
    let value: i128 = value.extract()?;
    if !(member.set)(of, value) {
        let bits = 8 * member.bytes;
        return Err(PyOverflowError::new_err(format!("'{name}' cannot hold {value}; it has {bits} bits, unsigned")));
    }
    Ok(())
}

fn find<S: KernelStruct>(name: &str) -> Option<&'static Member<S>> {
    visible::<S>().find(|member| member.name == name)
}

/// An unknown attribute, or a member that the simulator does not keep.
fn unknown<S: KernelStruct>(what: &str, name: &str) -> PyErr {
    let text = if S::lacking().iter().any(|member| member.name == name) {
        format!("the simulator does not keep '{name}' of {what}; docs/reference/kernel-members.md lists what it keeps")
    } else {
        format!("{what} has no member '{name}'")
    };
    PyAttributeError::new_err(text)
}

/// The attribute is read-only, as in the kernel.
fn read_only(name: &str) -> PyErr {
    let writable = writable_members::<TcpSock>().into_iter().filter(|member| !member.c_type.is_empty());
    let writable: Vec<_> = writable.map(|member| member.name).collect();
    PyAttributeError::new_err(format!(
        "'{name}' cannot be set; a congestion control may write only {}",
        writable.join(", ")
    ))
}
