/* formula_declared.c - numbers of the declarations of formula(..) */
#include "formula.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Is this among the options of a declaration?  Where it ends, or NULL. */
static const char *option(const char *options, const char *text)
{
    const char *at = strstr(options, text);

    return at == NULL || at > strpbrk(options, "()") ? NULL : at + strlen(text);
}

static cx law(const char *options, cx x)
{
    static const char *const laws[] = { "exp", "softplus", "logsigmoid" };
    const char *at = option(options, "law=");

    for (int k = 0; at != NULL && k < 3; k++)
        if (strncmp(at, laws[k], strlen(laws[k])) == 0)
            return formula_function(laws[k], x);
    return x;
}

/* Is this the declaration of an array of tokens?  Where its options begin. */
static const char *array(const char *value)
{
    return strncmp(value, "token(", 6) == 0  ? value + 6
           : strncmp(value, "scan(", 5) == 0 ? value + 5
                                             : NULL;
}

cx formula_declared(int64_t *entries, const struct oracle_call *call,
                    int64_t head, const char *name, size_t length, double at)
{
    const char *from = call->spec;
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
            return law(value, call->param[param][(heads ? head * *entries : 0) +
                                                 (int64_t)at]);
        }
        param += strncmp(from, "=param(", 7) == 0;
        if (*from == '=' && array(from + 1) != NULL &&
            option(array(from + 1), "map=linear") != NULL)
            param += 2;
    }
}

/* The number of token 'at' before it is summed; *options: of its declaration.
 */
static cx number_of_token(const struct oracle_call *call, const int64_t pair[4],
                          const char *name, size_t length, int64_t at,
                          const char **options)
{
    const cx *x = call->x + (pair[0] * call->S + at) * call->W;
    const char *from = call->spec;
    int64_t param = 0, channel = 0;

    for (;; from++) {
        int64_t rows;
        int linear;
        cx y = 0;

        param += strncmp(from, "=param(", 7) == 0;
        if (*from != '=' || array(from + 1) == NULL)
            continue;
        *options = array(from + 1);
        linear = option(*options, "map=linear") != NULL;
        rows = **options == 'h' ? pair[1] : 0;
        if (from - length > call->spec &&
            strncmp(from - length, name, length) == 0 &&
            strchr(",(", from[-(int64_t)length - 1]) != NULL) {
            if (!linear)
                return law(*options, x[channel + rows]);
            for (int64_t c = 0; c < call->W; c++)
                y += call->param[param][rows * call->W + c] * x[c];
            return law(*options, y + call->param[param + 1][rows]);
        }
        param += linear ? 2 : 0;
        channel += linear ? 0 : **options == 'h' ? call->H : 1;
    }
}

cx formula_token(const struct oracle_call *call, const int64_t pair[4],
                 const char *name, size_t length, int key)
{
    int64_t b = pair[0], at = pair[3];
    const char *options;
    cx sum = 0, one;

    if (!key)
        for (at = 0; oracle_position(call, 1, b, at) !=
                     oracle_position(call, 0, b, pair[2]);)
            at++;
    one = number_of_token(call, pair, name, length, at, &options);
    if (strncmp(options - 5, "scan(", 5) != 0)
        return one;
    for (int64_t s = 0; s < call->S; s++)
        if (oracle_position(call, 1, b, s) <= oracle_position(call, 1, b, at))
            sum += number_of_token(call, pair, name, length, s, &options);
    return sum;
}
