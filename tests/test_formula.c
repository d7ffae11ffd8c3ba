/*
 * test_formula.c - formula(..): its grammar, its canonical text, its messages
 * and limits.
 */
#include "oracle/near.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* -------------------------------------------------------------- the grammar */

/* An expression without n, at one pair. */
static double value_of(const char *expression)
{
    char spec[400];

    snprintf(spec, sizeof(spec), "formula(bias=(%s)+0*n)", expression);
    return near_bias(spec, 2, 1, 5, 3, NULL); /* h = 1 of 2, d = 2 */
}

TEST(precedence_is_that_of_mathematics)
{
    static const struct {
        const char *text;
        double want;
    } cases[] = {
        { "-2^2", -4 },
        { "2^3^2", 512 },
        { "2^-1", 0.5 },
        { "1-2-3", -4 },
        { "8/4/2", 1 },
        { "-3^2*2", -18 },
        { "2e0*e", 5.4365636569 },
        { "2*-3", -6 },
        { "1--1", 2 },
        { "(1+2)*3", 9 },
        { ".5+1.e1", 10.5 },
        { "2^0.5^2", 1.189207115 },
        { "0^0", 1 },
        { "(-2)^3", -8 },
        { "(-2)^-2", 0.25 },
        { "if(1<2,3,4)", 3 },
        { "if(2<=1,3,4)", 4 },
        { "if(1==1,3,4)", 3 },
        { "if(1>1,3,4)", 4 },
        { "if(1>=1,3,4)", 3 },
        { "if(1<2,3,log(0))", 3 },
        { "clamp(5,1,3)", 3 },
        { "min(2,1)", 1 },
        { "max(2,1)", 2 },
        { "floor(-1.5)", -2 },
        { "sign(-3)+step(0)+step(2)", 0 },
        { "abs(-2)+sqrt(9)", 5 },
        { "expm1(0)+log1p(0)+log(e)", 1 },
        { "sin(pi/2)+cos(pi)+tanh(0)", 0 },
        { "sigmoid(0)", 0.5 },
        { "softplus(0)+logsigmoid(0)", 0 },
        { "relu(-1)+relu(2)", 2 },
        { "exp(0)", 1 },
        { "h+10*H", 21 },
        { "d+10*i+100*j", 352 },
    };

    for (size_t k = 0; k < LEN(cases); k++)
        if (!(fabs(value_of(cases[k].text) - cases[k].want) <= 0.51e-10 * 10))
            FAIL("%s is %.12g, expected %.12g", cases[k].text,
                 value_of(cases[k].text), cases[k].want);
}

/* ------------------------------------------------------------ the canonical */

TEST(canonical_text_has_the_fewest_parentheses)
{
    static const char *const cases[][2] = {
        { "formula()", "formula" },
        { "formula(bias=0)", "formula" },
        { "formula( bias = ((n)) )", "formula(bias=n)" },
        { "formula(bias=(n+1)+(n+2))", "formula(bias=n+1+(n+2))" },
        { "formula(bias=((n-1)-2)-(3-n))", "formula(bias=n-1-2-(3-n))" },
        { "formula(bias=(n*2)*(3*n)/(n+2))", "formula(bias=n*2*(3*n)/(n+2))" },
        { "formula(bias=-(n)^(2))", "formula(bias=-n^2)" },
        { "formula(bias=(-n)^2)", "formula(bias=(-n)^2)" },
        { "formula(bias=(n^2)^3)", "formula(bias=(n^2)^3)" },
        { "formula(bias=n^(2^3))", "formula(bias=n^2^3)" },
        { "formula(bias=-(n+1))", "formula(bias=-(n+1))" },
        { "formula(bias=-(n*2))", "formula(bias=-(n*2))" },
        { "formula(bias=2*(-n))", "formula(bias=2*-n)" },
        { "formula(bias=if((n)<(256),0,(-inf)))",
          "formula(bias=if(n<256,0,-inf))" },
        { "formula(a=const(0.50),bias=-n*1e-3*a,future=same)",
          "formula(bias=-n*0.001*a,a=const(0.5))" },
        { "formula(future=hide,bias=-m*n,m=param(heads,max=2,min=0.1,init=0.5)"
          ")",
          "formula(bias=-m*n,m=param(heads,init=0.5,min=0.1,max=2),"
          "future=hide)" },
        { "formula(bias=pick(t,n)*w,w=param(one,init=1,law=raw,share=no),"
          "t=param(heads,8,init=normal(0.02),share=yes))",
          "formula(bias=pick(t,n)*w,w=param(one),"
          "t=param(heads,8,init=normal(0.02),share=yes))" },
        { "formula(bias=lerp(t,n),t=param(8,init=uniform(1,2),law=exp))",
          "formula(bias=lerp(t,n),t=param(8,init=uniform(1,2),law=exp))" },
        { "formula(bias=-n/T0,length=64)", "formula(bias=-n/T0,length=64)" },
        { "formula(bias=-n,length=64)", "formula(bias=-n)" },
        { "formula(c=scan( heads,share=yes,init=5,map=linear, law=softplus),"
          "bias= (c . k)-c.q*(g.k),g=token(one,map=none,law=raw))",
          "formula(bias=c.k-c.q*g.k,c=scan(heads,map=linear,law=softplus,"
          "init=5,share=yes),g=token(one))" },
        { "rope + formula(bias=-n/16)", "rope+formula(bias=-n/16)" },
    };

    for (size_t k = 0; k < LEN(cases); k++) {
        OWNED(locant_encoding) *e = test_create(cases[k][0]);
        OWNED(locant_encoding) *again = test_create(locant_encoding_spec(e));

        CHECK(!test_differs(locant_encoding_spec(e), cases[k][1]));
        CHECK(!test_differs(locant_encoding_spec(again), cases[k][1]));
    }
}

/* ----------------------------------------------------------------- messages */

static void refused(const char *spec, const char *message)
{
    char whole[600];
    locant_encoding *e = NULL;

    snprintf(whole, sizeof(whole), "locant_encoding_create: formula: %s",
             message);
    if (locant_encoding_create(&e, spec) != LOCANT_ERR_PARAM || e != NULL)
        FAIL("%s is not refused", spec);
    if (test_differs(locant_last_error(), whole))
        FAIL("%s", spec);
}

TEST(errors_name_the_column)
{
    refused("formula(bias=-dist)",
            "column 15: 'dist' is used but not declared: dist=param(heads)? "
            "(known: d, n, i, j, s, h, H, T0, cnt, pi, e, inf)");
    refused("formula(bias=-n*slop,slope=param(one))",
            "column 17: unknown name 'slop'; did you mean 'slope'? known: d, "
            "n, i, j, s, h, H, T0, cnt, pi, e, inf, slope");
    refused("formula(bias=-n+log1p(n,2))",
            "column 17: log1p takes 1 argument, not 2");
    refused("formula(bias=if(n<1,2))",
            "column 14: if takes 3 arguments, not 2");
    refused("formula(bias=(n**2))",
            "column 17: a number, a name or '(' expected, '*' found");
    refused("formula(bias=(n 2))", "column 17: ')' expected, '2' found");
    refused("formula(bias=n 2)",
            "column 16: an operator, ',' or ')' expected, '2' found");
    refused("formula(bias=if(n,1,2))",
            "column 18: <, <=, >, >= or == expected, ',' found");
    refused("formula(bias=-n", "column 16: the spec ends at byte 15, ',' or "
                               "')' expected");
    refused("formula(bias=-(n", "column 17: ')' expected, the expression ends");
    refused("formula(bias=1e999*n)", "column 14: '1e999' is not a number");
    refused("formula(bias=1.2.3*n)", "column 14: '1.2.3' is not a number");
    refused("formula(bias=-exp*n)", "column 15: 'exp' is a function: exp(..)");
    refused("formula(bias=n,bias=n)", "column 16: bias is given a second time");
}

TEST(declarations_are_checked)
{
    refused("formula(bias=-m*n,m=param(heads),a=param(one))",
            "column 34: 'a' is declared but not used");
    refused("formula(bias=-a*n)",
            "column 15: 'a' is used but not declared: a=param(heads)? (known: "
            "d, n, i, j, s, h, H, T0, cnt, pi, e, inf)");
    refused("formula(bias=-n,s=param(one))", "column 17: 's' is a reserved "
                                             "name");
    refused("formula(bias=-n,T=param(one))",
            "column 17: 'T' is not a name of at most 31 small letters, digits "
            "and '_'");
    refused("formula(bias=-m*n,m=param(one),m=param(one))",
            "column 32: 'm' is declared twice");
    refused("formula(bias=-m*n,m=param(head))",
            "column 27: heads, one or a number of entries expected, 'head' "
            "found");
    refused("formula(bias=-m*n,m=param(heads,init=slope))",
            "column 38: a number, slopes, uniform(a,b) or normal(s) expected, "
            "'slope' found");
    refused("formula(bias=-m*n,m=param(one,init=slopes))",
            "column 36: slopes are one number for each head: "
            "param(heads,init=slopes)");
    refused("formula(bias=-m*n,m=param(one,min=2,max=1))",
            "column 19: 'm' has min=2 above max=1");
    refused("formula(bias=-m*n,m=param(one,init=0,law=exp))",
            "column 19: 'm' is positive by its law, expected init and max "
            "above 0");
    refused("formula(bias=-t*n,t=param(heads,4))",
            "column 15: 't' is a table: pick(t,x) or lerp(t,x)");
    refused("formula(bias=pick(m,n),m=param(heads))",
            "column 19: 'm' is not a table: m=param(heads,32)?");
    refused("formula(bias=pick(t,n),t=param(0))",
            "column 32: a table of 0 entries, expected 1 to 1048576");
}

TEST(arrays_of_tokens_are_checked)
{
    refused("formula(bias=-b*n,b=token(heads))",
            "column 15: 'b' is an array of tokens: b.q or b.k");
    refused("formula(bias=-b.x*n,b=token(heads))",
            "column 17: q or k expected, 'x' found");
    refused("formula(bias=-b.k*n,b=param(heads))",
            "column 15: 'b' is not an array of tokens: b=token(heads)?");
    refused("formula(bias=-b.k*n)",
            "column 15: 'b' is not an array of tokens: b=token(heads)?");
    refused("formula(bias=pick(b,n),b=scan(one))",
            "column 19: 'b' is not a table: b=param(heads,32)?");
    refused("formula(bias=-b.k*n,b=token(8))",
            "column 29: heads or one expected, '8' found");
    refused("formula(bias=-b.k*n,b=token(one,min=1))",
            "column 33: map, law, init or share expected, 'min' found");
    refused("formula(bias=-b.k*n,b=token(one,map=mlp))",
            "column 37: none or linear expected, 'mlp' found");
    refused("formula(bias=-b.k*n,b=scan(one,law=sqrt))",
            "column 36: raw, exp, softplus or logsigmoid expected, 'sqrt' "
            "found");
    refused("formula(bias=-b.k*n,b=scan(one,init=2))",
            "column 21: 'b' has no parameters, expected map=linear with init "
            "and share");
    refused("formula(bias=-m*n,m=param(one,law=logsigmoid))",
            "column 35: raw, exp or softplus expected, 'logsigmoid' found");
}

/* A linear map has two parameters: m is the 15th, of the 8th declaration. */
TEST(a_number_starts_after_many_maps)
{
#define MAP(name) name "=token(one,map=linear),"
#define MAPS                                                                   \
    "bias=a.k+b.k+c.k+f.k+g.k+p.k+r.k," MAP("a") MAP("b") MAP("c") MAP("f")    \
        MAP("g") MAP("p") MAP("r") "m=param(one,init=2)"
    OWNED(locant_encoding) *e = test_create("formula(after=1+m*n," MAPS ")");
    locant_param_info info;

    CHECK(locant_encoding_param(&info, e, 14, NULL));
    CHECK(!test_differs(info.name, "m"));
    refused("formula(after=log(n-m)," MAPS ")", "after is NaN at distance 0");
#undef MAPS
#undef MAP
}

TEST(what_has_no_meaning_is_refused)
{
    OWNED(locant_encoding) *hides = NULL;

    refused("formula(bias=log(n)*0)", "bias is NaN at distance 0");
    refused("formula(bias=h)",
            "bias has no effect: it does not depend on the key");
    refused("formula(bias=i*2)",
            "bias has no effect: it does not depend on the key");
    refused("formula(bias=c.q,c=scan(heads))",
            "bias has no effect: it does not depend on the key");
    refused("formula(after=s*n)",
            "after reads s, expected it only in gain and bias");
    refused("formula(after=1+c.k,c=scan(heads))",
            "after reads tokens, expected them only in gain and bias");
    refused("formula(gain=cnt*c.q,c=scan(heads))",
            "gain reads cnt, expected it only in a gain that does not depend "
            "on positions");
    refused("formula(after=1/cnt)", "after reads cnt, expected it only in a "
                                    "gain that does not depend on positions");
    refused("formula(gain=log(cnt)*n)",
            "gain reads cnt, expected it only in a gain that does not depend "
            "on positions");
    refused("formula(after=n/n)", "after is NaN at distance 0");
    /* outputs were NaN */
    refused("formula(bias=1/n)",
            "bias is inf at distance 0, expected a number or -inf");
    refused("formula(gain=1+if(n<9,0,inf))",
            "gain is inf at distance 9, expected a number");
    refused("formula(after=if(n==3,-inf,1))",
            "after is -inf at distance 3, expected a number");
    CHECK_OK(locant_encoding_create(&hides, "formula(bias=if(n<9,0,-inf))"));
}

/* ------------------------------------------------------------------- limits */

static char *repeated(char *out, size_t size, const char *before,
                      const char *part, int times, const char *after)
{
    if (before != out)
        snprintf(out, size, "%s", before);
    for (int i = 0; i < times; i++)
        snprintf(out + strlen(out), size - strlen(out), "%s", part);
    snprintf(out + strlen(out), size - strlen(out), "%s", after);
    return out;
}

TEST(limits_hold)
{
    locant_encoding *e;
    char spec[4000];

    repeated(spec, sizeof(spec), "formula(bias=", "(", 31, "n");
    repeated(spec, sizeof(spec), spec, ")", 32, "");
    CHECK_OK(locant_encoding_create(&e, spec));
    locant_encoding_free(e);
    refused(repeated(spec, sizeof(spec), "formula(bias=", "(", 32, "n"),
            "column 46: expressions nested deeper than 32");
    refused(repeated(spec, sizeof(spec), "formula(bias=n", "^n", 64, ")"),
            "column 78: expressions nested deeper than 32");
    CHECK_OK(locant_encoding_create(
        &e, repeated(spec, sizeof(spec), "formula(bias=n", "+n", 64, ")")));
    locant_encoding_free(e);
    refused(repeated(spec, sizeof(spec), "formula(bias=n", "+n", 65, ")"),
            "column 8: 65 operations, expected at most 64");
    refused(repeated(spec, sizeof(spec), "formula(bias=n", "+1", 600, ")"),
            "column 8: 1208 bytes, expected at most 1024");
    /* Equal subexpressions are one operation. */
    CHECK_OK(locant_encoding_create(&e, repeated(spec, sizeof(spec),
                                                 "formula(bias=", "log(1+n)-",
                                                 40, "n*n)")));
    locant_encoding_free(e);
}

/* T0 is the length that the encoding is trained on. */
TEST(trained_length_is_resolved)
{
    OWNED(locant_encoding) *e = test_create("formula(bias=-n/T0)");
    OWNED(locant_encoding) *made = NULL;
    int64_t at = 3;
    float out;

    CHECK(locant_encoding_length_limit(e) == 0);
    CHECK_REFUSED(
        locant_encoding_bias(VIEW(F32, &out, 1, 1, 1), e, VIEW(I64, &at, 1),
                             VIEW(I64, &at, 1), NULL),
        LOCANT_ERR_PARAM,
        "locant_encoding_bias: the formula reads T0, expected length=.. in "
        "formula(bias=-n/T0)");
    CHECK_OK(locant_encoding_resolve(&made, e, 12));
    CHECK(!test_differs(locant_encoding_spec(made),
                        "formula(bias=-n/T0,length=12)"));
    CHECK(near_bias(locant_encoding_spec(made), 1, 0, 5, 2, NULL) == -0.25);
}

/* Initial values and bounds are those that the formula reads. */
TEST(parameters_start_and_stay_within_bounds)
{
    OWNED(locant_encoding) *e =
        test_create("formula(bias=-m*n^p-a*n,m=param(heads,init=slopes),"
                    "p=param(one,init=2,min=0.5,max=3,law=softplus),"
                    "a=param(heads,init=uniform(1,2),share=yes))");
    double m[4], p[3] = { 0 }, a[64];
    locant_param_info info;

    CHECK_OK(locant_encoding_param_init(VIEW(F64, m, 4), e, 0, 1));
    near_all(m, (double[]){ 0.25, 0.0625, 0.015625, 0.00390625 }, 4, 0);
    CHECK_OK(locant_encoding_param_init(VIEW(F64, p, 1), e, 1, 1));
    near_all(p, (double[]){ log(expm1(2)) }, 1, 1e-15);
    CHECK_OK(locant_encoding_param_init(VIEW(F64, a, 64), e, 2, 1));
    for (int i = 0; i < 64; i++)
        CHECK(a[i] >= 1 && a[i] < 2 && (i == 0 || a[i] != a[i - 1]));
    p[0] = -50;
    CHECK_OK(locant_encoding_param_project(VIEW(F64, p, 1), e, 1));
    near_all(p, (double[]){ log(expm1(0.5)) }, 1, 1e-15);
    p[0] = 50;
    CHECK_OK(locant_encoding_param_project(VIEW(F64, p, 1), e, 1));
    near_all(p, (double[]){ log(expm1(3)) }, 1, 1e-15);
    CHECK(locant_encoding_param(&info, e, 0, NULL) && info.per_layer);
    CHECK(locant_encoding_param(&info, e, 2, NULL) && !info.per_layer);
}

/* A linear map of x starts as the gates of fox do; nothing bounds it. */
TEST(maps_of_tokens_start_small)
{
    enum { WIDTH = 4096 };
    OWNED(locant_encoding) *e =
        test_create("formula(bias=c.k-c.q+m*n,m=param(one,min=0),"
                    "c=scan(heads,map=linear,law=softplus,init=-2,share=yes))");
    const locant_sizes sizes = { .width = WIDTH, .heads = 2 };
    static double weight[2 * WIDTH];
    double bias[2], squares = 0;
    locant_param_info info;

    CHECK(locant_encoding_param(&info, e, 1, &sizes));
    CHECK(!test_differs(info.name, "c.weight") && !info.per_layer);
    CHECK(info.rank == 2 && info.shape[0] == 2 && info.shape[1] == WIDTH);
    CHECK_OK(locant_encoding_param_init(VIEW(F64, weight, 2, WIDTH), e, 1, 1));
    for (int i = 0; i < 2 * WIDTH; i++)
        squares += weight[i] * weight[i];
    /* of 8192 squares of deviation 0.02: within 5 deviations, sqrt(2 / n) */
    CHECK(fabs(squares / (2 * WIDTH) / (0.02 * 0.02) - 1) < 0.08);
    CHECK(locant_encoding_param(&info, e, 2, &sizes));
    CHECK(!test_differs(info.name, "c.bias"));
    CHECK_OK(locant_encoding_param_init(VIEW(F64, bias, 2), e, 2, 1));
    CHECK(bias[0] == -2 && bias[1] == -2);
    CHECK_OK(locant_encoding_param_project(VIEW(F64, bias, 2), e, 2));
    CHECK(bias[0] == -2 && bias[1] == -2);
    CHECK(!locant_encoding_param(&info, e, 3, &sizes));
}

/* Whichever allocation fails, there is no encoding and nothing leaks. */
TEST(runs_out_of_memory_cleanly)
{
    static const char spec[] = "rope+formula(bias=-m*log1p(a*n),gain=1+a*n,"
                               "m=param(heads),a=param(one))";
    locant_status status = LOCANT_ERR_NOMEM;

    for (long k = 1; status != LOCANT_OK; k++) {
        locant_encoding *e = (locant_encoding *)spec;

        test_memory_fail(k);
        status = locant_encoding_create(&e, spec);
        CHECK(status == LOCANT_OK || (status == LOCANT_ERR_NOMEM && e == NULL));
        locant_encoding_free(e);
        CHECK(test_memory_held() == 0);
    }
    CHECK(test_memory_asked() > 5);
    test_memory_end();
}
