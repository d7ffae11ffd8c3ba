/* absolute.c - chapter 2: sinusoid and learned table: S3.5, S3.6, S3.16. */
#include "../tutorial.h"

static void sum_identities(void)
{
    double worst = 0;

    for (double a = -3; a < 3; a += .37)
        for (double b = -3; b < 3; b += .41) {
            worst = fmax(worst,
                         fabs(sin(a + b) - sin(a) * cos(b) - cos(a) * sin(b)));
            worst = fmax(worst,
                         fabs(cos(a + b) - cos(a) * cos(b) + sin(a) * sin(b)));
        }
    show_text("sum identities", "sin(a+b) = sin a cos b + cos a sin b; "
                                "cos(a+b) = cos a cos b - sin a sin b");
    /* two products and four functions, each to 2^-53 */
    check("sum identities hold", worst, 0, 8 * 0x1p-53);
}

/* P[p] = (sin, cos) of p / 10000^(2c/d); pair c repeats after
   2 pi 10000^(2c/d) positions, c = 0 .. d/2 - 1. */
void s3_5_sinusoid(void)
{
    static const int width[] = { 64, 128, 512 };
    locant_tensor P5 = sinusoidal(5, 1, 4), longest = ZEROS(3);

    show_text("formula", info("sinusoidal")->formula);
    table("wavelengths", "width|shortest|longest");
    for (int i = 0; i < 3; i++) {
        data(longest)[i] = wavelength(10000, width[i] / 2 - 1, width[i]);
        table_row("%d|%.4f|%.2f", width[i], wavelength(10000, 0, width[i]),
                  data(longest)[i]);
    }
    compare("longest wavelengths", longest,
            VECTOR(47117.24, 54410.14, 60611.48), 5e-3);
    mistake("E-3.3", "longest wavelength, width 512", wavelength(10000, 1, 2),
            data(longest)[2],
            "Exponents end at (d - 2) / d for this formula; only "
            "tensor2tensor's spacing reaches 10000 x 2 pi.");
    mistake("E-3.5",
            "10000^(2i/d) for i = 1, d = 4, as the code comment computes it",
            exp(2 * -log(10000) / 4), pow(10000, .5),
            "exp(-2i ln(10000) / d) is the inverse, which the code then "
            "rightly multiplies by.");
    sum_identities();
    show_list("P[5], width 4", "%.10f", P5);
    /* an entry to 2^-25, two products */
    expect_list("each pair rotated by 3 steps: P[8]", "%.10f", moved(P5, 3),
                VECTOR(0.9893582466, -0.1455000338, 0.0799146940, 0.9968017063),
                3 * 0x1p-25);
    say("For it: no parameters, the same in every run, defined at any "
        "position.  Against it: one shape for every task, and models that use "
        "it fail soon beyond the trained length.  In use: the first "
        "Transformer, teaching, small models.");
}

static const struct family {
    const char *name;
    long long vocabulary, positions, segments; /* rows of tables */
    long long extra;
} families[] = {
    { "BERT base", 30522, 512, 2, 768 * 768 + 768 }, /* the pooler */
    { "GPT-2 small", 50257, 1024, 0, 0 },
};

/* Both families have 12 layers of width 768 and inner width 3072. */
static long long all_numbers(const struct family *f)
{
    const long long W = 768, FF = 3072;
    long long layer = 4 * (W * W + W) + 2 * W * FF + FF + W + 4 * W;

    return (f->vocabulary + f->positions + f->segments) * W + 12 * layer +
           2 * W + f->extra;
}

/* x[t] = norm(token[t] + segment[t] + P[t]) */
void s3_6_learned(void)
{
    enum { T = 4, W = 768, LENGTH = 512 };
    locant_random r = random_stream(1);
    locant_tensor P = SCALED_NORMALS(&r, .02, LENGTH, W);
    locant_tensor token = SCALED_NORMALS(&r, .02, T, W);
    locant_tensor segments = SCALED_NORMALS(&r, .02, 2, W);
    locant_tensor x = plus(token, looked_up(P, positions(0, T)));

    x = layer_norm(plus(x, picked(segments, INTEGERS(0, 0, 1, 1))));
    say("P [max_position_embeddings, hidden_size], one learned row a "
        "position.  BERT adds token, segment and position, and normalises:");
    show_shape("input of four tokens, two segments", x);
    table("sizes", "model|position rows|their numbers|all numbers|percent");
    for (const struct family *f = families; f < families + 2; f++) {
        long long n = f->positions * W, all = all_numbers(f);

        table_row("%s|%lld|%lld|%lld|%.2f", f->name, f->positions, n, all,
                  100. * n / all);
    }
    mistake_in_words("E-3.7", "what the table adds to a model",
                     "many parameters", "0.36 percent of BERT base",
                     "Tokens and layers hold nearly all of them.");
    show_text("the length limit, position 512", lookup_refusal(P, LENGTH));
    say("For it: it fits its task.  Against it: nothing is known about row "
        "512.  In use: BERT, GPT, models of fixed length.");
    check("numbers of BERT base", all_numbers(&families[0]), 109482240, 0);
    check("numbers of GPT-2 small", all_numbers(&families[1]), 124439808, 0);
    check("BERT's table", learned_numbers("learned(length=512)", W, 12), 393216,
          0);
    check("mean of the normalised input", mean(row(x, 0)), 0, IN_DOUBLE);
}

void s3_16_sinusoid_class(void)
{
    enum { MAX_LEN = 100, D_MODEL = 512, BATCH = 32 };
    locant_tensor P = sinusoidal(0, MAX_LEN, D_MODEL),
                  by_div_term = zeros_like(P);
    locant_random r = random_stream(2);
    locant_tensor x = NORMALS(&r, BATCH, MAX_LEN, D_MODEL), y = plus(x, P);
    double before = mean(y), dropped;

    for (int i = 0; i < count(P); i++) {
        int pos = i / D_MODEL, c = i % D_MODEL;
        double div_term = exp(c / 2 * 2 * -log(10000) / D_MODEL);

        data(by_div_term)[i] =
            c % 2 ? cos(pos * div_term) : sin(pos * div_term);
    }
    dropped = dropout(y, .1, &r);
    show_shape("input", x);
    show_shape("output", y);
    /* 1.6 million draws: five deviations of 2.3e-4 */
    expect("share dropped in training", dropped, .1, 1.2e-3);
    show("mean before dropout", before);
    /* kept entries grow by 1/0.9, so the mean is kept, to five deviations */
    expect("mean after", mean(y), before, 3e-3);
    say("The tutorial's buffer ends at max_len = 100: a longer input fails "
        "with a message about sizes that does not mention positions.  locant's "
        "table has no end.");
    compare("div_term's table less library", by_div_term, P, FLOAT);
}
