//===- Profiling.cpp ------------------------------------------------------===//
#include "Profiling.h"

#include <iostream>

#include "API/ProfileRecord.h"
#include "Progress.h"

namespace graphc {

static constexpr std::string_view kTable = "table", kJson = "json:", kTrace = "trace:";

/// The file of `--profile=json:FILE` or `trace:FILE`.
static std::string profileFile(const std::string &form) {
  return form == kTable ? "" : form.substr(form.find(':') + 1);
}

CLI::Validator profileForm() {
  auto check = [](std::string &form) {
    bool good = form == kTable;
    for (std::string_view way : {kJson, kTrace})
      good |= form.starts_with(way) && form.size() > way.size();
    return good ? std::string() : "'" + form + "' is not table, json:FILE or trace:FILE";
  };
  return CLI::Validator(check, "", "");
}

void addProfileFiles(const std::vector<std::string> &forms, std::vector<Written> &written) {
  for (const std::string &form : forms)
    if (std::string file = profileFile(form); !file.empty())
      written.push_back({"--profile=" + form, file});
}

absl::Status writeProfile(const Profile &profile, const std::vector<std::string> &forms) {
  for (const std::string &form : forms) {
    if (form == kTable) {
      std::cerr << profile.text();
      continue;
    }
    std::string text = form.starts_with(kJson) ? profile.json() : profile.chromeTrace();
    if (absl::Status s = writeOutput(profileFile(form), text); !s.ok())
      return s;
  }
  return absl::OkStatus();
}

CompileWatch::CompileWatch(const Common &common)
    : common_(common), part_(openProfile(common.profile())) {
  observer_ = stageObserver(common.verbose);
  if (part_)
    observer_ = part_->watch(std::move(observer_));
}

CompileWatch::~CompileWatch() = default;

absl::Status CompileWatch::done() const {
  if (!part_)
    return absl::OkStatus();
  part_->attach(common_.file);
  return writeProfile(part_->profile(), common_.profiles);
}

} // namespace graphc
