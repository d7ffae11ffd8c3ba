//! Read the inputs of locant's golden vectors and write a dump: safetensors,
//! as far as these files need it.

use std::{fs, io};

/// A safetensors file in memory.
pub struct File {
    header: String,
    data: Vec<u8>,
}

fn bad(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

impl File {
    pub fn open(path: &str) -> io::Result<File> {
        let bytes = fs::read(path)?;
        let size: [u8; 8] = bytes
            .get(..8)
            .and_then(|b| b.try_into().ok())
            .ok_or_else(|| bad(format!("{path}: is no safetensors file")))?;
        let end = (u64::from_le_bytes(size) as usize).saturating_add(8);
        let header = bytes
            .get(8..end)
            .ok_or_else(|| bad(format!("{path}: the header is cut off")))?;
        Ok(File {
            header: String::from_utf8_lossy(header).into_owned(),
            data: bytes[end..].to_vec(),
        })
    }

    fn bytes(&self, name: &str) -> io::Result<&[u8]> {
        let missing = || bad(format!("{name}: no such tensor"));
        let key = format!("\"{name}\":{{");
        let entry = self.header.split_once(&key).ok_or_else(missing)?.1;
        let list = entry
            .split_once("\"data_offsets\":[")
            .and_then(|(_, rest)| rest.split_once(']'))
            .ok_or_else(missing)?
            .0;
        let (first, last) = list.split_once(',').ok_or_else(missing)?;
        let number = |text: &str| text.trim().parse().map_err(|_| missing());
        self.data.get(number(first)?..number(last)?).ok_or_else(missing)
    }

    pub fn doubles(&self, name: &str) -> io::Result<Vec<f64>> {
        let chunks = self.bytes(name)?.chunks_exact(8);
        Ok(chunks.map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect())
    }

    pub fn integers(&self, name: &str) -> io::Result<Vec<i64>> {
        let chunks = self.bytes(name)?.chunks_exact(8);
        Ok(chunks.map(|b| i64::from_le_bytes(b.try_into().unwrap())).collect())
    }
}

/// What you computed, by names of cases.
#[derive(Default)]
pub struct Dump {
    entries: Vec<String>,
    data: Vec<u8>,
}

impl Dump {
    pub fn put(&mut self, name: &str, shape: &[usize], values: &[f32]) {
        let begin = self.data.len();
        for x in values {
            self.data.extend(x.to_le_bytes());
        }
        self.entries.push(format!(
            "\"{name}\":{{\"dtype\":\"F32\",\"shape\":{shape:?},\
             \"data_offsets\":[{begin},{}]}}",
            self.data.len()
        ));
    }

    pub fn write(&self, path: &str) -> io::Result<()> {
        let mut header = format!("{{{}}}", self.entries.join(","));
        while header.len() % 8 != 0 {
            header.push(' ');
        }
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.extend(&self.data);
        fs::write(path, bytes)
    }
}
