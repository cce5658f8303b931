//===- Graph/OnnxEntry.h - what libgraphc-onnx exports -------------*- C++ -*-===//
#pragma once

#include "graphc/Export.h"
#include "graphc/Import.h"

/// Reads the model in a file; see loadOnnx, which looks it up by its name.
extern "C" __attribute__((visibility("default"))) void
graphcOnnxEntry(const std::string &path, const graphc::OnnxInputs &options,
                absl::StatusOr<graphc::GraphModule> *result);

/// Writes a graph to a file; see saveOnnx, which looks it up by its name.
extern "C" __attribute__((visibility("default"))) void
graphcOnnxWriter(const graphc::GraphModule &module, const std::string &path,
                 const graphc::SaveOnnxOptions &options, absl::Status *result);
