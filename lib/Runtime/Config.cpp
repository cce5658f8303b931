//===- Runtime/Config.cpp - settings of the process -----------------------===//
#include "graphc/Config.h"

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "Runtime/CodeFolder.h"
#include "Runtime/ConfigText.h"
#include "Support/Fork.h"
#include "Support/Log.h"
#include "graphc/Status.h"

namespace graphc {

absl::Status checkSpecialisations(int number) {
  if (number < 0)
    return makeError(ErrorKind::ValueError,
                     "specialisations must not be negative, but is " + std::to_string(number));
  if (number > kMostSpecialisations)
    return makeError(ErrorKind::ValueError, "specialisations must be at most " +
                                                std::to_string(kMostSpecialisations) + ", but is " +
                                                std::to_string(number));
  return absl::OkStatus();
}

static absl::Status check(const Config &config) {
  if (!isFloat(config.floatX))
    return makeError(ErrorKind::ValueError,
                     "floatX must be a float dtype, not " + std::string(dtypeName(config.floatX)));
  if (config.threads < 0)
    return makeError(ErrorKind::ValueError,
                     "threads must not be negative, but is " + std::to_string(config.threads));
  return checkSpecialisations(config.specialisations);
}

namespace {

/// A setting: how it reads and is written as text.
struct Field {
  const char *name;
  const char *environment;
  const char *doc;
  /// False for text that is no value of this setting.
  bool (*parse)(std::string_view text, Config &config);
  std::string (*print)(const Config &config);
};

} // namespace

static bool parseNumber(std::string_view text, int &number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

static constexpr Field kFields[] = {
    {"floatX", "GRAPHC_FLOATX", "dtype of constructors without a letter and of float literals",
     [](std::string_view text, Config &config) {
       std::optional<DType> dtype = parseDType(text);
       config.floatX = dtype.value_or(DType::Bool);
       return dtype.has_value();
     },
     [](const Config &config) { return std::string(dtypeName(config.floatX)); }},
    {"cacheDir", "GRAPHC_CACHE_DIR", "folder of compiled code; none: it is not kept",
     [](std::string_view text, Config &config) {
       config.cacheDir = text.empty() ? kNoCache : text;
       return true;
     },
     codeFolderPath},
    {"threads", "GRAPHC_THREADS", "threads of a call; 0: as many as the process may run at once",
     [](std::string_view text, Config &config) { return parseNumber(text, config.threads); },
     [](const Config &config) { return std::to_string(config.threads); }},
    {"specialisations", "GRAPHC_SPECIALISATIONS",
     "sets of extents for which a function gets code of their own",
     [](std::string_view text, Config &config) {
       return parseNumber(text, config.specialisations);
     },
     [](const Config &config) { return std::to_string(config.specialisations); }},
    {"profile", "GRAPHC_PROFILE", "0 or 1: whether functions have a profile",
     [](std::string_view text, Config &config) {
       config.profile = text == "1";
       return text == "0" || text == "1";
     },
     [](const Config &config) { return std::string(config.profile ? "1" : "0"); }},
};

Config configOf(const std::function<const char *(const char *name)> &valueOf) {
  Config config;
  for (const Field &field : kFields) {
    const char *text = valueOf(field.environment);
    if (!text)
      continue;
    Config changed = config;
    if (field.parse(text, changed) && check(changed).ok())
      config = changed;
    else
      logWarning(std::string(field.environment) + "=" + text + " is ignored: not a value of " +
                 field.name);
  }
  return config;
}

namespace {

struct Settings {
  ShortMutex mutex;
  Config config = configOf([](const char *name) -> const char * { return std::getenv(name); });
  std::atomic<DType> floatX = config.floatX;
};

} // namespace

static Settings &settings() {
  // Never destroyed: other static objects may ask while the process ends.
  static auto &instance = *new Settings;
  return instance;
}

Config config() {
  Settings &all = settings();
  std::lock_guard lock(all.mutex);
  return all.config;
}

absl::Status setConfig(const Config &config) {
  if (absl::Status status = check(config); !status.ok())
    return status;
  Settings &all = settings();
  std::lock_guard lock(all.mutex);
  all.config = config;
  all.floatX.store(config.floatX, std::memory_order_relaxed);
  return absl::OkStatus();
}

DType floatX() { return settings().floatX.load(std::memory_order_relaxed); }

std::vector<ConfigEntry> configEntries() {
  Config current = config();
  std::vector<ConfigEntry> entries;
  for (const Field &field : kFields)
    entries.push_back({field.name, field.environment, field.print(current), field.doc});
  return entries;
}

} // namespace graphc
