/* sinusoid.c - why positions, the sinusoid, homework 1: S4.1 .. S4.7, S4.15. */
#include "../tutorial.h"

enum { LENGTH = 100, WIDTH = 512 };

void s4_1_header(void)
{
    show_text("course", "AI Engineer Toolbox");
    show_text("stage", "3, the core of the Transformer (第三阶段)");
    show_text("chapter", "11, position encoding (位置编码)");
    show_text("time", "4 to 6 hours");
    show_text("languages", "Chinese and English; here English");
}

void s4_2_goals(void)
{
    table_of_rows("objective|row\n"
                  "why a Transformer does not know the order of tokens|S4.3\n"
                  "how sinusoidal, RoPE and ALiBi work and are made|S4.4\n"
                  "absolute against relative|S4.13\n"
                  "write an encoding and draw it|S4.15\n");
}

void s4_3_why(void)
{
    locant_random r = random_stream(1);
    struct mha m = mha_new(&r, 16, 2, NO_BIAS);
    locant_tensor back = reversed(3), x = NORMALS(&r, 1, 3, 16);
    locant_tensor said = mha(&m, x), said_back = mha(&m, picked(x, back));
    double in_place = difference(said, said_back);

    say("Cat, catches, mouse as random vectors of width 16, one attention "
        "layer without positions: 猫抓老鼠 and 老鼠抓猫.");
    expect("outputs compared word by word",
           difference(picked(said, back), said_back), 0, IN_DOUBLE);
    show("outputs compared place by place", in_place);
    mistake("E-4.6", "change of the output", 0, in_place,
            "The tutorial calls the sentences equal for attention: each word "
            "gets the same vector, but it stands where the word stands.");
    say("So positions must be given: each token gets its own.");
    claim("the places change", in_place > 1e-3);
}

void s4_4_formula(void)
{
    locant_tensor x = sinusoidal(1, 1, 8);
    const double *P1 = data(x);

    show_text("formula", info("sinusoidal")->formula);
    table("pairs", "pair of width 8|frequency|positions per rotation|sin and "
                   "cos at position 1");
    for (int c = 0; c < 4; c++)
        table_row("%d|%g|%.2f|%.6f %.6f", c, pow(10000, -c / 4.),
                  wavelength(10000, c, 8), P1[2 * c], P1[2 * c + 1]);
    say("Three ideas: waves of different frequencies, slower along the "
        "channels, and distances that can be read off them.");
    check("second sine", P1[2], 0.0998334166, FLOAT);
    check("last cosine", P1[7], 0.9999995, FLOAT);
    claim("frequencies fall", P1[0] > P1[2] && P1[2] > P1[4] && P1[4] > P1[6]);
}

void s4_5_function(void)
{
    locant_tensor P = sinusoidal(0, LENGTH, WIDTH);

    show_shape("PE", P);
    show_list("PE[0, :8]", "%.4f", slice(row(P, 0), 0, 8));
    show_list("PE[1, :8]", "%.4f", slice(row(P, 1), 0, 8));
    mistake("E-4.5",
            "10000^(2i/d) for i = 1, d = 512, as the comment computes it",
            exp(2 * -log(10000) / WIDTH), pow(10000, 2. / WIDTH),
            "The comment leaves out that the exponential is the inverse; the "
            "code is right.");
    check("PE[1, 0]", entry(P, 1, 0), 0.8414709848, FLOAT);
    check("PE[1, 1]", entry(P, 1, 1), 0.5403023059, FLOAT);
    check("PE[1, 2]", entry(P, 1, 2), sin(pow(10000, -2. / WIDTH)), FLOAT);
}

void s4_6_heat(void)
{
    locant_tensor P = sinusoidal(0, LENGTH, WIDTH);
    locant_figure figure =
        heat_map_of("Sinusoidal Position Encoding", "Dimension", "Position", P);

    figure.width = 864; /* points */
    figure.height = 432;
    say("The table [100, 512] as a heat map, 12 x 6 inches, with its scale "
        "beside it (tutorial: sinusoidal_pe.png).");
    show_shape("cells", P);
    show("scale from", least(P));
    expect("scale to", largest(P), 1, 0);
    draw(0, figure);
}

void s4_15_homework_1(void)
{
    enum { ROWS = 50, COLS = 64 };
    locant_tensor P = sinusoidal(0, ROWS, WIDTH), by_hand = ZEROS(ROWS, COLS);
    double worst = 0;

    for (int i = 0; i < ROWS * COLS; i++) {
        int p = i / COLS, c = i % COLS;
        double angle = p / pow(10000, c / 2 * 2. / WIDTH);

        data(by_hand)[i] = c % 2 ? cos(angle) : sin(angle);
        worst = fmax(worst, fabs(data(by_hand)[i] - entry(P, p, c)));
    }
    say("Positions 0 to 49, the first 64 of 512 channels, by hand; compared "
        "with locant's table:");
    expect("largest difference", worst, 0, FLOAT);
    table("waves", "channels|positions per rotation");
    for (int c = 0; c < COLS; c += 16)
        table_row("%d, %d|%.2f", c, c + 1, wavelength(10000, c / 2, WIDTH));
    heat_map(0, "Sinusoidal encoding, 50 positions, 64 channels", "dimension",
             "position", by_hand);
}

/* numpy's allclose: |x - y| <= 1e-8 + 1e-5 |y| everywhere. */
static int all_close(locant_tensor x, locant_tensor y)
{
    for (int i = 0; i < count(x); i++)
        if (fabs(data(x)[i] - data(y)[i]) > 1e-8 + 1e-5 * fabs(data(y)[i]))
            return 0;
    return 1;
}

/* M_k PE[p] = PE[p + k], where M_k rotates pair c by k 10000^(-2c/d) */
void s4_7_properties(void)
{
    locant_tensor P = sinusoidal(0, LENGTH, WIDTH);
    double low = least(P), high = largest(P);
    int alike = 0;

    for (int a = 0; a < LENGTH; a++)
        for (int b = 0; b < a; b++)
            alike += all_close(row(P, a), row(P, b));
    show_text("unique: PE[0] == PE[1]",
              all_close(row(P, 0), row(P, 1)) ? "true" : "false");
    expect_count("equal pairs among all 4950", alike, 0);
    expect("relative: largest |M_5 PE[p] - PE[p + 5]|",
           difference(moved(rows(P, 0, LENGTH - 5), 5), rows(P, 5, LENGTH - 5)),
           0, 3 * 0x1p-25);
    show("bounded: least value", low);
    show("bounded: highest value", high);
    say("M_5 rotates each pair by five steps; it is the same matrix for every "
        "p, which is what relative means here.");
    claim("within [-1, 1]", low >= -1 && high <= 1);
}
