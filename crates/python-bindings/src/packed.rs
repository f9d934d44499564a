//! A result as Python and the store use it: metrics as JSON, and tables with many rows as Arrow IPC streams.
//!
//! The first piece begins with a line of JSON that names the parts with their bytes and rows; the parts follow.
//! `python/fairlane/engine/result_bytes.py` reads this.

use crate::pieces::Pieces;
use arrow_array::{
    ArrayRef, Float32Array, Float64Array, Int64Array, RecordBatch, StringArray, UInt32Array, UInt64Array,
};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use fairlane_contract::{Cells, LinkAccesses, LinkAggregates, LinkSamples, RttDistribution, RunResult, Watched};
use serde_json::json;
use std::borrow::Cow;
use std::sync::Arc;

/// Rows of a record batch: enough to make its header negligible, few enough to keep its copy small.
const BATCH_ROWS: usize = 1 << 13;

/// Packs a result; frees its tables piece by piece while their streams grow.
pub(crate) fn pack(mut result: RunResult) -> Vec<Vec<u8>> {
    let Watched { names, flows: of_flows } = std::mem::take(&mut result.series.watched);
    let mut of_flows = of_flows.into_iter();
    let flows = std::mem::take(&mut result.series.flows).into_iter().map(|samples| {
        let members = names.iter().map(|name| Cow::Owned(name.clone()));
        let values = of_flows.next().unwrap_or_default().into_iter().map(Cells::from);
        samples.into_cells().into_iter().chain(members.zip(values)).collect()
    });
    let links = std::mem::take(&mut result.series.links).into_iter().map(LinkSamples::into_cells);
    let distributions = std::mem::take(&mut result.distributions.flows).into_iter().map(RttDistribution::into_cells);
    let aggregates = std::mem::take(&mut result.distributions.links).into_iter().map(LinkAggregates::into_cells);
    let accesses = std::mem::take(&mut result.accesses.links).into_iter().map(LinkAccesses::into_cells);
    let link_names: Vec<String> = result.links.iter().map(|link| link.name.clone()).collect();
    // The metrics first: they summarise the samples, which are freed while their table is written.
    let mut metrics = Pieces::default();
    serde_json::to_writer(&mut metrics, &result).expect("a result is JSON, written to memory");
    let tables = [
        ("flow_series", stream(Labels::Numbers("flow"), flows)),
        ("link_series", stream(Labels::Names("link", link_names.clone()), links)),
        ("flow_distribution", stream(Labels::Numbers("flow"), distributions)),
        ("link_distribution", stream(Labels::Names("link", link_names.clone()), aggregates)),
        ("link_accesses", stream(Labels::Names("link", link_names), accesses)),
    ];
    let mut parts = vec![json!({"name": "metrics", "bytes": metrics.len(), "rows": 0})];
    parts.extend(tables.iter().map(|(name, table)| json!({"name": name, "bytes": table.0.len(), "rows": table.1})));
    let mut head = json!({ "parts": parts }).to_string().into_bytes();
    head.push(b'\n');
    let mut packed = vec![head];
    packed.extend(metrics);
    packed.extend(tables.into_iter().flat_map(|(_, (pieces, _))| pieces));
    packed
}

/// The first column: the owner of the rows.
enum Labels {
    /// Owners with numbers.
    Numbers(&'static str),
    Names(&'static str, Vec<String>),
}

impl Labels {
    fn field(&self) -> Field {
        match self {
            Self::Numbers(name) => Field::new(*name, DataType::Int64, false),
            Self::Names(name, _) => Field::new(*name, DataType::Utf8, false),
        }
    }

    /// The column for these owners and their numbers of rows.
    fn column(&self, groups: &[(usize, usize)]) -> ArrayRef {
        let each = groups.iter().flat_map(|&(index, rows)| std::iter::repeat_n(index, rows));
        match self {
            Self::Numbers(_) => Arc::new(Int64Array::from_iter_values(each.map(|index| index as i64))),
            Self::Names(_, names) => Arc::new(each.map(|index| Some(&names[index])).collect::<StringArray>()),
        }
    }
}

type Columns = Vec<(Cow<'static, str>, Cells)>;

/// A table of the owners' columns, concatenated, and its number of rows.
fn stream(labels: Labels, each: impl Iterator<Item = Columns>) -> (Pieces, usize) {
    write_stream(&labels, each).expect("columns of one table, written to memory")
}

fn write_stream(labels: &Labels, each: impl Iterator<Item = Columns>) -> Result<(Pieces, usize), ArrowError> {
    let mut writer: Option<StreamWriter<Pieces>> = None;
    let (mut groups, mut columns, mut total_rows) = (Vec::new(), Columns::new(), 0);
    let mut each = each.enumerate().peekable();
    while let Some((index, more)) = each.next() {
        groups.push((index, more.first().map_or(0, |(_, cells)| cells.len())));
        if columns.is_empty() {
            columns = more;
        } else {
            columns.iter_mut().zip(more).for_each(|((_, cells), (_, more))| cells.append(more));
        }
        let rows: usize = groups.iter().map(|&(_, rows)| rows).sum();
        if rows < BATCH_ROWS && each.peek().is_some() {
            continue;
        }
        let mut fields = vec![labels.field()];
        let mut arrays = vec![labels.column(&groups)];
        groups.clear();
        for (name, cells) in columns.drain(..) {
            let array = array(cells);
            fields.push(Field::new(name, array.data_type().clone(), true));
            arrays.push(array);
        }
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(schema.clone(), arrays)?;
        if writer.is_none() {
            writer = Some(StreamWriter::try_new(Pieces::default(), &schema)?);
        }
        writer.as_mut().expect("it was just made").write(&batch)?;
        total_rows += rows;
    }
    match writer {
        Some(writer) => Ok((writer.into_inner()?, total_rows)),
        None => Ok((Pieces::default(), 0)), // the run has no owners of this kind
    }
}

fn array(cells: Cells) -> ArrayRef {
    match cells {
        Cells::F32(values) => Arc::new(Float32Array::from(values)),
        Cells::OptionalF32(values) => Arc::new(Float32Array::from(values)),
        Cells::F64(values) => Arc::new(Float64Array::from(values)),
        Cells::OptionalF64(values) => Arc::new(Float64Array::from(values)),
        Cells::U32(values) => Arc::new(UInt32Array::from(values)),
        Cells::OptionalU32(values) => Arc::new(UInt32Array::from(values)),
        Cells::U64(values) => Arc::new(UInt64Array::from(values)),
        Cells::OptionalI64(values) => Arc::new(Int64Array::from(values)),
    }
}
