// rope.hpp - the code under test: rotary embedding of rows [n, dim], pairs of
// channels c and c + dim / 2, as a project of yours may have it
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

template <class T>
std::vector<T> rope(const std::vector<T> &x,
                    const std::vector<std::int64_t> &positions, int dim,
                    double base)
{
    std::vector<T> out(x.size());
    for (std::size_t i = 0; i < positions.size(); i++)
        for (int c = 0; c < dim / 2; c++) {
            double angle = static_cast<double>(positions[i]) *
                           std::pow(base, -2.0 * c / dim);
            T cosine = static_cast<T>(std::cos(angle));
            T sine = static_cast<T>(std::sin(angle));
            T a = x[i * dim + c], b = x[i * dim + c + dim / 2];
            out[i * dim + c] = a * cosine - b * sine;
            out[i * dim + c + dim / 2] = a * sine + b * cosine;
        }
    return out;
}
