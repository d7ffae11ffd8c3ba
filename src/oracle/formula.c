/*
 * formula.c - a score function written in the spec, evaluated from its text at
 * every pair: no graph, no sharing, one number of each rule of the grammar.
 *
 *     sum    = prod { ("+" | "-") prod }     prod = unary { ("*" | "/") unary }
 *     unary  = "-" unary | power             power = atom [ "^" unary ]
 *     test   = sum comparison sum
 *
 * The text is canonical or without blanks.  Parameters: in the order of their
 * declarations "name=param(..)".
 */
#include "oracle.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct oracle_spec specs[] = {
    { .text = "formula" },
    { .text = "formula(bias=-n/16)" },
    { .text = "formula(bias=-m*log1p(a*n),m=param(heads),a=param(heads))" },
    { .text = "formula(bias=-a*n^p,a=param(heads),p=param(one))" },
    { .text = "formula(bias=pick(t,if(n<4,n,min(15,4+floor(log(n/4)*3)))),"
              "t=param(heads,16))", .low = -60, .high = 60 },
    { .text = "formula(bias=lerp(t,n*c)-sqrt(n)*w,t=param(9),w=param(heads),"
              "c=const(0.173))", .low = -40, .high = 40 },
    { .text = "formula(bias=tanh(m*d)*exp(-n/20)+if(d>3,sin(w*d),-w*n)/9,"
              "m=param(heads,law=exp),w=param(heads,law=softplus))",
      .low = -30, .high = 30 },
    { .text = "formula(bias=-m*n/(1+i*0.125)+cos(j*a)*0.5,m=param(heads),"
              "a=param(one))", .low = 0, .high = 30 },
    { .text = "formula(bias=sigmoid(m*j-1)*H/(h+2)-softplus(n*0.1)*T0/64,"
              "m=param(heads),length=32)", .low = 0, .high = 30 },
    { .text = "formula(bias=-m*n,gain=1+a*log1p(n),after=1+c*sqrt(n),"
              "m=param(heads),a=param(heads),c=param(heads))",
      .low = -30, .high = 30 },
    { .text = "formula(bias=tanh(s*m)-n/16,gain=1/(1+a*s^2),after=1-c*n/99,"
              "m=param(heads),a=param(one),c=param(heads))" },
    { .text = "formula(bias=-a*n*sigmoid(s),a=param(heads))" },
    { .text = "formula(gain=a*log(cnt+1)/2,a=param(heads))" },
    { .text = "formula(gain=1+a*log1p(floor(i/4)),after=exp(-c*n),"
              "a=param(one),c=param(heads))", .low = 0, .high = 30 },
    { .text = "formula(bias=-max(a*n,2)-abs(d-3)/8-clamp(a*n,1,3)^2+"
              "relu(n-a)*0.01+logsigmoid(-n*a)+expm1(-a*n),"
              "a=param(heads),future=zero)", .low = -30, .high = 30 },
    { 0 }
};
/* clang-format on */

static void range(double *low, double *high, const char *spec, int k)
{
    (void)spec;
    (void)k;
    *low = 0.11;
    *high = 0.97;
}

struct text {
    const char *at;
    const struct oracle_call *call;
    int64_t h;
    double i, j, d, n, seen;
    cx s; /* the scaled score */
};

static cx sum(struct text *t);
static cx unary(struct text *t);

static int accept(struct text *t, char c)
{
    int found = *t->at == c;

    t->at += found;
    return found;
}

/* ------------------------------------------------------------- declarations */

static cx law(const char *options, cx x)
{
    const char *end = strpbrk(options, "()");
    const char *at = strstr(options, "law=");
    double r = creal(x);

    if (at == NULL || at > end)
        return x;
    if (at[4] == 'e')
        return exp(r) * (1 + I * cimag(x));
    return log1p(exp(r)) + I * cimag(x) / (1 + exp(-r));
}

/* Entry 'at' of the declaration of this name. */
static cx declared(const struct text *t, const char *name, size_t length,
                   double at, int64_t *entries)
{
    const char *from = t->call->spec;
    int param = 0;

    for (;; from++) {
        const char *value = from + length + 1;
        int heads, here = strncmp(from, name, length) == 0 &&
                          from[length] == '=' &&
                          (from[-1] == ',' || from[-1] == '(');

        if (here && strncmp(value, "const(", 6) == 0)
            return strtod(value + 6, NULL);
        if (here && strncmp(value, "param(", 6) == 0) {
            value += 6;
            heads = *value == 'h';
            value += heads ? 5 + (value[5] == ',') : 0;
            *entries = isdigit((unsigned char)*value) ? atoll(value) : 1;
            return law(value,
                       t->call->param[param][(heads ? t->h * *entries : 0) +
                                             (int64_t)at]);
        }
        param += strncmp(from, "=param(", 7) == 0;
    }
}

static cx table(struct text *t, int lerp)
{
    const char *name = t->at;
    size_t length = strcspn(name, ",");
    int64_t entries = 1;
    double x, low;
    cx in, a, b;

    t->at += length + 1;
    in = sum(t);
    x = creal(in);
    declared(t, name, length, 0, &entries);
    low = fmin(fmax(floor(x), 0), (double)entries - 1);
    a = declared(t, name, length, low, &entries);
    if (!lerp || x <= 0 || low + 1 >= (double)entries)
        return a;
    b = declared(t, name, length, low + 1, &entries);
    return a + (in - low) * (b - a);
}

/* ---------------------------------------------------------------- functions */

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static double soft(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

/* A function of a real number, and its derivative. */
struct analytic {
    const char *name;
    double (*value)(double x);
    double (*derivative)(double x);
};

static double inverse(double x)
{
    return 1 / x;
}

static double inverse1p(double x)
{
    return 1 / (1 + x);
}

static double half_inverse_root(double x)
{
    return x > 0 ? 0.5 / sqrt(x) : 0;
}

static double minus_sin(double x)
{
    return -sin(x);
}

static double sech2(double x)
{
    return 1 / (cosh(x) * cosh(x));
}

static double logistic_slope(double x)
{
    return logistic(x) * logistic(-x);
}

static double minus_soft(double x)
{
    return -soft(-x);
}

static double logistic_of_minus(double x)
{
    return logistic(-x);
}

static double positive(double x)
{
    return x > 0;
}

static double ramp(double x)
{
    return fmax(x, 0);
}

static double sign(double x)
{
    return (x > 0) - (x < 0);
}

static double zero(double x)
{
    return 0 * x;
}

static const struct analytic functions[] = {
    { "exp", exp, exp },
    { "expm1", expm1, exp },
    { "log", log, inverse },
    { "log1p", log1p, inverse1p },
    { "sqrt", sqrt, half_inverse_root },
    { "sin", sin, cos },
    { "cos", cos, minus_sin },
    { "tanh", tanh, sech2 },
    { "sigmoid", logistic, logistic_slope },
    { "softplus", soft, logistic },
    { "logsigmoid", minus_soft, logistic_of_minus },
    { "relu", ramp, positive },
    { "abs", fabs, sign },
    { "floor", floor, zero },
    { "step", positive, zero },
    { "sign", sign, zero },
};

static cx call_one(const char *f, cx z)
{
    const struct analytic *a = functions;

    while (strcmp(a->name, f) != 0)
        a++;
    return a->value(creal(z)) +
           (cimag(z) != 0 ? I * (a->derivative(creal(z)) * cimag(z)) : 0);
}

static cx call_more(const char *f, cx a, cx b, cx c)
{
    double x = creal(a), y = creal(b);

    if (strcmp(f, "min") == 0)
        return x <= y ? a : b;
    if (strcmp(f, "max") == 0)
        return x >= y ? a : b;
    if (strcmp(f, "clamp") == 0)
        return x < y ? b : x > creal(c) ? c : a;
    return x != 0 ? b : c; /* if */
}

/* sum comparison sum, as 0 or 1 */
static cx test(struct text *t)
{
    double a = creal(sum(t)), b;
    char c = *t->at++;
    int equal = accept(t, '=');

    b = creal(sum(t));
    if (c == '=')
        return a == b;
    return c == '<' ? (equal ? a <= b : a < b) : (equal ? a >= b : a > b);
}

static cx function(struct text *t, const char *f)
{
    cx in[3] = { 0 };
    int n = 0;

    if (strcmp(f, "pick") == 0 || strcmp(f, "lerp") == 0)
        in[n++] = table(t, f[0] == 'l');
    else
        do
            in[n] = n == 0 && strcmp(f, "if") == 0 ? test(t) : sum(t);
        while (++n < 3 && accept(t, ','));
    accept(t, ')');
    if (strcmp(f, "pick") == 0 || strcmp(f, "lerp") == 0)
        return in[0];
    return n == 1 ? call_one(f, in[0]) : call_more(f, in[0], in[1], in[2]);
}

/* ------------------------------------------------------------- expressions */

static cx name(struct text *t, const char *from, size_t n)
{
    const struct {
        const char *text;
        cx value;
    } known[] = {
        { "d", t->d },
        { "n", t->n },
        { "i", t->i },
        { "j", t->j },
        { "s", t->s },
        { "h", (double)t->h },
        { "H", (double)t->call->H },
        { "T0", oracle_number(t->call->spec, "length", 0) },
        { "cnt", t->seen },
        { "pi", acos(-1) },
        { "e", exp(1) },
        { "inf", INFINITY },
    };
    int64_t entries;

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strlen(known[i].text) == n && strncmp(known[i].text, from, n) == 0)
            return known[i].value;
    return declared(t, from, n, 0, &entries);
}

static cx atom(struct text *t)
{
    const char *from = t->at;
    char word[16] = "";
    char *end;
    size_t n = 0;
    cx x;

    if (accept(t, '(')) {
        x = sum(t);
        accept(t, ')');
        return x;
    }
    if (!isalpha((unsigned char)*from)) {
        x = strtod(from, &end);
        t->at = end;
        return x;
    }
    while (isalnum((unsigned char)from[n]) || from[n] == '_')
        n++;
    t->at += n;
    if (!accept(t, '('))
        return name(t, from, n);
    memcpy(word, from, n < sizeof(word) ? n : sizeof(word) - 1);
    return function(t, word);
}

static cx power(struct text *t)
{
    cx a = atom(t), b;
    double x = creal(a), y, da = 0, db = 0;

    if (!accept(t, '^'))
        return a;
    b = unary(t);
    y = creal(b);
    if (cimag(a) != 0 && y != 0)
        da = y * pow(x, y - 1) * cimag(a);
    if (cimag(b) != 0 && x != 0)
        db = pow(x, y) * log(x) * cimag(b);
    return pow(x, y) + I * (da + db);
}

static cx unary(struct text *t)
{
    return accept(t, '-') ? -unary(t) : power(t);
}

static cx quotient(cx a, cx b)
{
    double x = creal(a), y = creal(b);

    return x / y + I * (cimag(a) / y - x / y * cimag(b) / y);
}

static cx product(struct text *t)
{
    cx x = unary(t);

    for (;;)
        if (accept(t, '*'))
            x *= unary(t);
        else if (accept(t, '/'))
            x = quotient(x, unary(t));
        else
            return x;
}

static cx sum(struct text *t)
{
    cx x = product(t);

    for (;;)
        if (accept(t, '+'))
            x += product(t);
        else if (accept(t, '-'))
            x -= product(t);
        else
            return x;
}

/* The value of a key for a pair; the fallback if the spec lacks the key. */
static cx value_of(const struct oracle_call *call, const char *key,
                   double fallback, const int64_t at[4], cx s)
{
    struct text t = { .at = strstr(call->spec, key), .call = call, .s = s };

    if (t.at == NULL)
        return fallback;
    t.at += strlen(key);
    t.h = at[1];
    t.i = (double)oracle_position(call, 0, at[0], at[2]);
    t.j = (double)oracle_position(call, 1, at[0], at[3]);
    t.d = t.i - t.j;
    t.n =
        t.d < 0 && oracle_word(call->spec, "future", "zero", 0) ? 0 : fabs(t.d);
    for (int64_t j = 0; strstr(t.at, "cnt") != NULL && j < call->S; j++)
        t.seen += oracle_visible(call, at[0], at[2], j);
    return sum(&t);
}

static cx bias_at(const struct oracle_call *call, const int64_t at[4], cx s)
{
    if (oracle_position(call, 0, at[0], at[2]) <
            oracle_position(call, 1, at[0], at[3]) &&
        oracle_word(call->spec, "future", "hide", 0))
        return -INFINITY;
    return value_of(call, "bias=", 0, at, s);
}

static cx bias(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
               int64_t j)
{
    return bias_at(call, (const int64_t[]){ b, h, i, j }, 0);
}

static cx score(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    const int64_t at[4] = { b, h, i, j };
    const int64_t g = h / (call->H / call->G);
    const cx *q = call->q + ((b * call->H + h) * call->T + i) * call->D;
    const cx *k = call->k + ((b * call->G + g) * call->S + j) * call->D;
    cx product = 0;

    for (int64_t d = 0; d < call->D; d++)
        product += q[d] * k[d];
    product *= call->scale;
    return value_of(call, "gain=", 1, at, product) * product +
           bias_at(call, at, product);
}

static cx value(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j, int64_t d)
{
    const int64_t at[4] = { b, h, i, j };
    const int64_t g = h / (call->H / call->G);

    return value_of(call, "after=", 1, at, 0) *
           call->v[((b * call->G + g) * call->S + j) * call->D + d];
}

const struct oracle formula_oracle = {
    .name = "formula",
    .specs = specs,
    .range = range,
    .bias = bias,
    .score = score,
    .value = value,
};
