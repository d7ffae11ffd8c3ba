// vectors.hpp - read the inputs of locant's golden vectors, write a dump.
// Copy it into your project: it needs C++17 and nothing else.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace vectors {

// A safetensors file in memory; little-endian machines.
class File {
public:
    explicit File(const std::string &path)
    {
        std::ifstream in(path, std::ios::binary);
        if (!in)
            throw std::runtime_error(path + ": cannot be read");
        bytes_.assign(std::istreambuf_iterator<char>(in), {});
        std::uint64_t n = 0;
        if (bytes_.size() < 8)
            throw std::runtime_error(path + ": is no safetensors file");
        std::memcpy(&n, bytes_.data(), 8);
        if (n > bytes_.size() - 8)
            throw std::runtime_error(path + ": the header is cut off");
        header_ = bytes_.substr(8, n);
        data_ = 8 + n;
    }

    // The elements of a tensor; T must be its type.
    template <class T> std::vector<T> get(const std::string &name) const
    {
        std::size_t at = header_.find("\"" + name + "\":{");
        if (at == std::string::npos)
            throw std::runtime_error(name + ": no such tensor");
        at = header_.find("\"data_offsets\":[", at) + 16;
        char *end;
        std::size_t first = std::strtoull(&header_[at], &end, 10);
        std::size_t last = std::strtoull(end + 1, nullptr, 10);
        if (first > last || last > bytes_.size() - data_)
            throw std::runtime_error(name + ": offsets beyond the file");
        std::vector<T> out((last - first) / sizeof(T));
        std::memcpy(out.data(), &bytes_[data_ + first], last - first);
        return out;
    }

private:
    std::string bytes_, header_;
    std::size_t data_ = 0;
};

// What you computed, by names of cases; floats and doubles.
class Dump {
public:
    template <class T>
    void put(const std::string &name, const std::vector<std::size_t> &shape,
             const std::vector<T> &values)
    {
        std::string sizes;
        for (std::size_t n : shape)
            sizes += (sizes.empty() ? "" : ",") + std::to_string(n);
        std::size_t begin = data_.size(), bytes = values.size() * sizeof(T);
        header_ += (header_.empty() ? "{\"" : ",\"") + name +
                   "\":{\"dtype\":\"" + (sizeof(T) == 8 ? "F64" : "F32") +
                   "\",\"shape\":[" + sizes + "],\"data_offsets\":[" +
                   std::to_string(begin) + "," +
                   std::to_string(begin + bytes) + "]}";
        data_.append(reinterpret_cast<const char *>(values.data()), bytes);
    }

    void write(const std::string &path) const
    {
        std::string header = header_ + "}";
        header.resize((header.size() + 7) / 8 * 8, ' ');
        std::uint64_t n = header.size();
        std::ofstream out(path, std::ios::binary);
        out.write(reinterpret_cast<const char *>(&n), 8);
        out << header << data_;
        if (!out.flush())
            throw std::runtime_error(path + ": cannot be written");
    }

private:
    std::string header_, data_;
};

} // namespace vectors
