//! The code under test: rotary embedding of rows `[n, dim]`, pairs of adjacent
//! channels, as a project of yours may have it.

pub mod vectors;

/// Rotate row i of `x` by positions[i] * base^(-2c/dim), pair c.
pub fn rope(x: &[f32], positions: &[i64], dim: usize, base: f64) -> Vec<f32> {
    let mut out = x.to_vec();
    for (row, &p) in out.chunks_exact_mut(dim).zip(positions) {
        for (c, pair) in row.chunks_exact_mut(2).enumerate() {
            let angle = p as f64 * base.powf(-2.0 * c as f64 / dim as f64);
            let (sine, cosine) = angle.sin_cos();
            let (sine, cosine) = (sine as f32, cosine as f32);
            let (a, b) = (pair[0], pair[1]);
            pair[0] = a * cosine - b * sine;
            pair[1] = a * sine + b * cosine;
        }
    }
    out
}
