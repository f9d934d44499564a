//! Writes a capture of a simulated flow as a pcapng file (draft-ietf-opsawg-pcapng) with one interface and nanosecond
//! time stamps.
//!
//!
//! A file is a sequence of blocks: type, length, body padded to 32 bits, length again. All integers are little-endian.

use std::io::{self, Write};

const SECTION_HEADER: u32 = 0x0A0D_0D0A;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
/// Tells a reader the byte order.
const BYTE_ORDER_MAGIC: u32 = 0x1A2B_3C4D;
const LINKTYPE_ETHERNET: u16 = 1;

/// Options, whose meaning depends on the block.
const END_OF_OPTIONS: u16 = 0;
const SHB_USERAPPL: u16 = 4;
const IF_NAME: u16 = 2;
const IF_TSRESOL: u16 = 9;
/// Times are in units of 10^-9 s.
const NANOSECONDS: u8 = 9;

/// A capture file while it is written.
pub struct PcapngFile<W> {
    sink: W,
    /// Buffer for one block, reused so that packets need no allocation.
    block: Vec<u8>,
}

impl<W: Write> PcapngFile<W> {
    /// A file with one Ethernet interface.
    ///
    /// # Errors
    /// Those of the sink, here and below.
    pub fn new(sink: W, interface: &str) -> io::Result<Self> {
        let mut file = Self { sink, block: Vec::new() };
        file.write_block(SECTION_HEADER, |body| {
            body.extend(BYTE_ORDER_MAGIC.to_le_bytes());
            body.extend([1, 0, 0, 0]); // version 1.0
            body.extend(u64::MAX.to_le_bytes()); // length of the section: not told
            push_option(body, SHB_USERAPPL, concat!("Fairlane ", env!("CARGO_PKG_VERSION")).as_bytes());
            push_option(body, END_OF_OPTIONS, &[]);
        })?;
        file.write_block(INTERFACE_DESCRIPTION, |body| {
            body.extend(LINKTYPE_ETHERNET.to_le_bytes());
            body.extend([0, 0]);
            body.extend(0_u32.to_le_bytes()); // no limit on a packet's length
            push_option(body, IF_NAME, interface.as_bytes());
            push_option(body, IF_TSRESOL, &[NANOSECONDS]);
            push_option(body, END_OF_OPTIONS, &[]);
        })?;
        Ok(file)
    }

    /// Adds a packet, of which only the first bytes are kept.
    pub fn packet(&mut self, at_ns: u64, kept: &[u8], original_bytes: u32) -> io::Result<()> {
        self.write_block(ENHANCED_PACKET, |body| {
            body.extend(0_u32.to_le_bytes()); // the interface
            body.extend(((at_ns >> 32) as u32).to_le_bytes());
            body.extend((at_ns as u32).to_le_bytes());
            body.extend((kept.len() as u32).to_le_bytes());
            body.extend(original_bytes.to_le_bytes());
            body.extend(kept);
            pad(body);
        })
    }

    /// Flushes the sink.
    pub fn finish(mut self) -> io::Result<()> {
        self.sink.flush()
    }

    fn write_block(&mut self, kind: u32, write_body: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        let block = &mut self.block;
        block.clear();
        block.extend(kind.to_le_bytes());
        block.extend([0; 4]);
        write_body(block);
        let length = (block.len() + 4) as u32;
        block.extend(length.to_le_bytes());
        block[4..8].copy_from_slice(&length.to_le_bytes());
        self.sink.write_all(block)
    }
}

fn push_option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    body.extend(code.to_le_bytes());
    body.extend((value.len() as u16).to_le_bytes());
    body.extend(value);
    pad(body);
}

/// A block's header has 8 bytes, so that padding the block pads its body.
fn pad(body: &mut Vec<u8>) {
    body.resize(body.len().next_multiple_of(4), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(bytes: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"))
    }

    /// Type and content of each block, its two lengths compared.
    fn blocks(mut bytes: &[u8]) -> Vec<(u32, &[u8])> {
        let mut found = Vec::new();
        while !bytes.is_empty() {
            let length = word(bytes, 4) as usize;
            assert_eq!(length % 4, 0);
            assert_eq!(word(bytes, length - 4) as usize, length);
            found.push((word(bytes, 0), &bytes[8..length - 4]));
            bytes = &bytes[length..];
        }
        found
    }

    #[test]
    fn a_file_is_a_row_of_blocks() {
        let mut bytes = Vec::new();
        let mut file = PcapngFile::new(&mut bytes, "sender").expect("memory takes all");
        file.packet(0x1_0000_0002, &[1, 2, 3, 4, 5], 1514).expect("memory takes all");
        file.finish().expect("memory takes all");
        let blocks = blocks(&bytes);
        assert_eq!(blocks.iter().map(|block| block.0).collect::<Vec<_>>(), [SECTION_HEADER, 1, 6]);
        assert_eq!(word(blocks[0].1, 0), BYTE_ORDER_MAGIC);
        let packet = blocks[2].1;
        assert_eq!([4, 8, 12, 16].map(|at| word(packet, at)), [1, 2, 5, 1514]);
        assert_eq!(packet[20..], [1, 2, 3, 4, 5, 0, 0, 0]);
    }

    #[test]
    fn a_full_disk_is_an_error() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        assert!(PcapngFile::new(Full, "sender").is_err());
    }
}
