// dump.cpp - compute golden vectors with the code under test
// usage: dump GOLDEN/vectors.safetensors DUMP.safetensors
#include "rope.hpp"
#include "vectors.hpp"

int main(int argc, char **argv)
try {
    if (argc != 3)
        return 2;
    vectors::File golden(argv[1]);
    vectors::Dump dump;
    auto positions = golden.get<std::int64_t>("input/positions/far");
    const std::vector<std::size_t> shape = { positions.size(), 64 };
    for (const char *name : { "q", "k" }) {
        // Inputs are multiples of 1/64, so every type holds them exactly.
        auto x = golden.get<double>(std::string("input/") + name + "/576");
        std::vector<float> narrow(x.begin(), x.end());
        std::string half = "rope/half/none/", large = "rope/half/base-500000/";
        dump.put(half + "f64/" + name, shape, rope(x, positions, 64, 1e4));
        dump.put(half + "f32/" + name, shape, rope(narrow, positions, 64, 1e4));
        dump.put(large + "f32/" + name, shape,
                 rope(narrow, positions, 64, 5e5));
    }
    dump.write(argv[2]);
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "dump: %s\n", error.what());
    return 1;
}
