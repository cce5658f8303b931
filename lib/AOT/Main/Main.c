/*===- Main.c - the command line of a stand-alone program ---------------------===*\
 *
 * The flags of `graphc run` that do not concern compiling.
 *
\*===----------------------------------------------------------------------===*/
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "Arguments.h"

static int endsWith(const char *text, const char *end) {
  size_t length = strlen(text), wanted = strlen(end);
  return length >= wanted && memcmp(text + length - wanted, end, wanted) == 0;
}

/* The number of the variable that `pair` ("NAME=...") begins with, or `count`. */
static int32_t variableOf(const AotVariable *variables, int32_t count, const char *pair) {
  size_t length = strcspn(pair, "=");
  int32_t k = 0;
  while (k < count && (strlen(textAt(variables[k].name)) != length ||
                       memcmp(textAt(variables[k].name), pair, length) != 0))
    ++k;
  return k;
}

static void listVariables(const char *title, const AotVariable *variables, int32_t count) {
  printf("\n%s:%s\n", title, count ? "" : " none");
  for (int32_t k = 0; k < count; ++k)
    printf("  %-25s %s\n", textAt(variables[k].name), textAt(variables[k].type));
}

static void help(const char *program) {
  const AotCounts *counts = graphcMain.program->counts;
  printf("%s of %s, compiled by graphc for %s\nUsage: %s [OPTIONS]\n",
         textAt(graphcMain.origin->function), textAt(graphcMain.origin->source),
         textAt(graphcMain.origin->target), program);
  listVariables("Inputs", graphcMain.inputs, counts->numInputs);
  listVariables("Outputs", graphcMain.outputs, counts->numOutputs);
  puts("\nOptions:\n"
       "  -h,--help                 Print this help message and exit\n"
       "  -i,--input NAME=VALUE     NAME=VALUE: a number, a list [[1,2],[3,4]], FILE.npy, zeros, "
       "random, random[2,3]\n"
       "  -o,--output NAME=FILE     NAME=FILE.npy: write it instead of printing\n"
       "  --full                    Print long outputs whole");
}

static int flushed(void) {
  if (fflush(stdout) == 0 && !ferror(stdout))
    return 0;
  fputs("error: standard output cannot be written\n", stderr);
  return 1;
}

/*===--- options ----------------------------------------------------------------===*/

typedef struct {
  const char *program;
  char **inputs, **outputs; /* "NAME=VALUE" and "NAME=FILE", in their order; NULL at the end */
  int full, wantsHelp;
} Options;

/* What follows the flag at argv[*at]: in the same word, or the next; NULL if it is another flag. */
static char *argumentOf(const Options *options, char **argv, int *at, const char *shortFlag,
                        const char *longFlag, const char *kind) {
  char *word = argv[*at];
  size_t length = strlen(longFlag);
  if (strncmp(word, longFlag, length) == 0 && word[length] == '=')
    return word + length + 1;
  if (word[1] == shortFlag[1] && word[2])
    return word + 2;
  if (strcmp(word, shortFlag) != 0 && strcmp(word, longFlag) != 0)
    return NULL;
  if (!argv[*at + 1])
    failUsage(options->program, "%s: 1 required %s missing", longFlag, kind);
  return argv[++*at];
}

static Options readOptions(int argc, char **argv) {
  Options options = {argc > 0 ? argv[0] : "program", NULL, NULL, 0, 0};
  int64_t bytes = ((int64_t)argc + 1) * (int64_t)sizeof(char *);
  char **input = options.inputs = allocate(bytes), **output = options.outputs = allocate(bytes);
  for (int at = 1; at < argc; ++at) {
    char *word = argv[at], *pair;
    if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) {
      options.wantsHelp = 1;
    } else if (strcmp(word, "--full") == 0) {
      options.full = 1;
    } else if ((pair = argumentOf(&options, argv, &at, "-i", "--input", "NAME=VALUE"))) {
      if (!strchr(pair, '='))
        failUsage(options.program, "--input: '%s' is not NAME=VALUE", pair);
      *input++ = pair;
    } else if ((pair = argumentOf(&options, argv, &at, "-o", "--output", "NAME=FILE"))) {
      if (!strchr(pair, '=') || !endsWith(pair, ".npy"))
        failUsage(options.program, "--output: '%s' is not NAME=FILE.npy", pair);
      *output++ = pair;
    } else {
      failUsage(options.program, "The following argument was not expected: %s", word);
    }
  }
  *input = *output = NULL;
  return options;
}

/* Whether both are one regular file; devices may be given as often as one likes. */
static int isSameFile(const char *a, const char *b) {
  struct stat of, other;
  if (stat(a, &of) == 0 && stat(b, &other) == 0)
    return S_ISREG(of.st_mode) && of.st_dev == other.st_dev && of.st_ino == other.st_ino;
  return strcmp(a, b) == 0; /* neither is there yet */
}

static const char *valueOf(const char *pair) { return strchr(pair, '=') + 1; }

/* Nothing is written over what is read, nor twice. */
static void checkApart(const Options *options) {
  for (char **output = options->outputs; *output; ++output) {
    const char *file = valueOf(*output);
    for (char **input = options->inputs; *input; ++input)
      if (endsWith(*input, ".npy") && isSameFile(file, valueOf(*input)))
        failUsage(options->program,
                  "--output %s: would be written over %s, which is read; name another file",
                  *output, valueOf(*input));
    for (char **other = options->outputs; other != output; ++other)
      if (isSameFile(file, valueOf(*other)))
        failUsage(options->program,
                  "--output %s: is the file of --output %s, too; name another one", *output,
                  *other);
  }
}

/*===--- running ----------------------------------------------------------------===*/

static _Noreturn void failUnknownOutput(const char *pair) {
  fprintf(stderr, "error: --output: the graph has no output '%.*s'; its outputs are",
          (int)strcspn(pair, "="), pair);
  for (int32_t k = 0; k < graphcMain.program->counts->numOutputs; ++k)
    fprintf(stderr, "%s %s", k ? "," : "", textAt(graphcMain.outputs[k].name));
  fputc('\n', stderr);
  exit(1);
}

/* By output, the file that it is written to; NULL where it is printed. */
static const char **filesOf(const Options *options) {
  int32_t count = graphcMain.program->counts->numOutputs;
  const char **files = allocate(((int64_t)count + 1) * (int64_t)sizeof *files);
  for (int32_t k = 0; k < count; ++k)
    files[k] = NULL;
  for (char **pair = options->outputs; *pair; ++pair) {
    int32_t k = variableOf(graphcMain.outputs, count, *pair);
    if (k == count)
      failUnknownOutput(*pair);
    if (files[k])
      fail("--output %s: is given twice", textAt(graphcMain.outputs[k].name));
    files[k] = valueOf(*pair);
  }
  return files;
}

static _Noreturn void failUnknown(const char *pair) {
  int32_t count = graphcMain.program->counts->numInputs;
  fprintf(stderr, "error: --input: the graph has no input '%.*s'; it%s", (int)strcspn(pair, "="),
          pair, count ? "s inputs are " : " has none");
  for (int32_t k = 0; k < count; ++k)
    fprintf(stderr, "%s%s: %s", k ? ", " : "", textAt(graphcMain.inputs[k].name),
            textAt(graphcMain.inputs[k].type));
  fputc('\n', stderr);
  exit(1);
}

static Value readInput(int32_t input, const char *text) {
  const AotVariable *variable = &graphcMain.inputs[input];
  int isFile = endsWith(text, ".npy");
  setContext(textAt(variable->name), isFile ? text : NULL);
  if (!isFile && strstr(text, ".npz:"))
    fail("programs do not read NPZ files; give FILE.npy");
  Value value = isFile           ? readNpy(text)
                : isMadeUp(text) ? makeUp(text, input)
                                 : readList(text, variable->dtype);
  setContext(NULL, NULL);
  return value;
}

static void readInputs(const Options *options, char *call) {
  int32_t count = graphcMain.program->counts->numInputs;
  Value *values = allocate(((int64_t)count + 1) * (int64_t)sizeof *values);
  memset(values, 0, (size_t)count * sizeof *values);
  for (char **pair = options->inputs; *pair; ++pair) {
    int32_t k = variableOf(graphcMain.inputs, count, *pair);
    if (k == count)
      failUnknown(*pair);
    if (values[k].data)
      fail("--input %s: is given twice", textAt(graphcMain.inputs[k].name));
    values[k] = readInput(k, valueOf(*pair));
  }
  for (int32_t k = 0; k < count; ++k) {
    const char *name = textAt(graphcMain.inputs[k].name);
    if (!values[k].data)
      fail("input '%s' has no value; give --input %s=VALUE (%s)", name, name,
           textAt(graphcMain.inputs[k].type));
  }
  for (int32_t k = 0; k < count; ++k) {
    checkArgument(k, &values[k]);
    placeArgument(call, k, &values[k]);
  }
}

static void showOutputs(const char **files, int full, char *call) {
  for (int32_t k = 0; k < graphcMain.program->counts->numOutputs; ++k) {
    Value value = resultOf(call, k);
    setContext(NULL, files[k]);
    if (files[k])
      writeNpy(files[k], &value);
    else
      printValue(textAt(graphcMain.outputs[k].name), &value, full);
  }
}

/* Nothing but write and _exit may be called here. */
static void say(const char *text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0)
    _exit(1);
}

static void onIllegalInstruction(int signal) {
  (void)signal;
  say("error: this processor lacks instructions of ");
  say(textAt(graphcMain.origin->target));
  say(", which the program was compiled for; graphc compile --target says another\n");
  _exit(1);
}

int main(int argc, char **argv) {
  signal(SIGILL, onIllegalInstruction);
  Options options = readOptions(argc, argv);
  if (options.wantsHelp) {
    help(options.program);
    return flushed();
  }
  checkApart(&options);
  const char **files = filesOf(&options);
  const AotProgram *program = graphcMain.program;
  int64_t bytes = program->counts->stateField + (int64_t)sizeof(void *);
  char *call = allocate(bytes);
  memset(call, 0, (size_t)bytes);
  readInputs(&options, call);
  if (graphcMain.run(program, call) != 0)
    fail("%s", graphcMain.message(program, call));
  showOutputs(files, options.full, call);
  return flushed();
}
