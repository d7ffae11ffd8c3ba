//! `cargo test`; LOCANT names the command of locant, which must be on PATH
//! otherwise.

use rope_vectors::{rope, vectors};
use std::{env, process::Command};

fn locant(arguments: &[&str]) -> (bool, String) {
    let command = env::var("LOCANT").unwrap_or("locant".into());
    let out = Command::new(command)
        .args(["model", "vectors"])
        .args(arguments)
        .output()
        .expect("the command locant");
    let text = String::from_utf8_lossy(&out.stdout).into_owned()
        + &String::from_utf8_lossy(&out.stderr);
    (out.status.success(), text)
}

#[test]
fn passes_the_golden_vectors() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let only = "rope/interleaved/none";
    let (ok, said) = locant(&["-o", folder, "--only", only]);
    assert!(ok, "{said}");

    let golden =
        vectors::File::open(&format!("{folder}/vectors.safetensors")).unwrap();
    let positions = golden.integers("input/positions/far").unwrap();
    let mut dump = vectors::Dump::default();
    for name in ["q", "k"] {
        // Inputs are multiples of 1/64, so every type holds them exactly.
        let x = golden.doubles(&format!("input/{name}/576")).unwrap();
        let x: Vec<f32> = x.iter().map(|&x| x as f32).collect();
        let rotated = rope(&x, &positions, 64, 1e4);
        dump.put(&format!("{only}/f32/{name}"), &[positions.len(), 64], &rotated);
    }
    let path = format!("{folder}/dump.safetensors");
    dump.write(&path).unwrap();
    // Angles are computed in double; add "--angles", "rounded" for float32.
    let (ok, said) = locant(&["--verify", &path, "--only", only]);
    assert!(ok, "{said}");
    assert!(said.contains("2 passed, 0 failed"), "{said}");
}
