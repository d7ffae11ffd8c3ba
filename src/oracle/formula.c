/*
 * formula.c - a score function written in the spec, evaluated from its text at
 * every pair: no graph, no sharing, one number of each rule of the grammar.
 *
 *     sum    = prod { ("+" | "-") prod }     prod = unary { ("*" | "/") unary }
 *     unary  = "-" unary | power             power = atom [ "^" unary ]
 *     test   = sum comparison sum
 *
 * The text is canonical or without blanks.  Parameters: in the order of their
 * declarations, name=param(..) one, name=token(..,map=linear,..) two: weight
 * [heads or 1, width] and bias.  Arrays of tokens without a map are the first
 * channels of x; a scan is summed over the tokens up to the token.
 */
#include "formula.h"
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
    { .text = "formula(bias=c.q-c.k,c=scan(heads,map=linear,law=logsigmoid))" },
    { .text = "formula(bias=-m*n*softplus(g.k),m=param(heads),g=token(heads))",
      .low = -30, .high = 30, .step = 8 },
    { .text = "formula(bias=tanh(s*g.q)-c.k*n/50,gain=1+g.k*0.1,"
              "g=token(one,map=linear,law=exp,share=yes),c=token(heads))",
      .low = -30, .high = 30, .step = 8 },
    { .text = "formula(bias=if(d<3,a.q*b.k,cos(c.k-a.q)-m*d*0.1),"
              "a=scan(one,law=softplus),m=param(one),b=token(one),"
              "c=scan(heads,map=linear))",
      .low = -30, .high = 30, .step = 8 },
    { 0 }
};
/* clang-format on */

static void range(double *low, double *high, const char *spec, int k)
{
    (void)k;
    *low = strstr(spec, "map=linear") != NULL ? -0.97 : 0.11;
    *high = 0.97;
}

struct text {
    const char *at;
    const struct oracle_call *call;
    const int64_t *at_pair; /* b, h, i, j */
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

/* ---------------------------------------------------------------- functions */

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
    formula_declared(&entries, t->call, t->h, name, length, 0);
    low = fmin(fmax(floor(x), 0), (double)entries - 1);
    a = formula_declared(&entries, t->call, t->h, name, length, low);
    if (!lerp || x <= 0 || low + 1 >= (double)entries)
        return a;
    b = formula_declared(&entries, t->call, t->h, name, length, low + 1);
    return a + (in - low) * (b - a);
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
    return n == 1 ? formula_function(f, in[0])
                  : call_more(f, in[0], in[1], in[2]);
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
    return formula_declared(&entries, t->call, t->h, from, n, 0);
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
    if (accept(t, '.'))
        return formula_token(t->call, t->at_pair, from, n, *t->at++ == 'k');
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
    t.at_pair = at;
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
