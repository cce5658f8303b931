//===- Optimizations.h - what can be switched off -----------------*- C++ -*-===//
//
// Passes that make code faster and change no meaning. Each has a name, under which a Mode excludes
// it as it excludes rewrites (docs/Performance.md says what each brings, by measuring without it).
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace graphc {

enum class Optimization : uint8_t {
  Fusion,
  UnrollSums,
  ShortAxes,
  SeparateWindows,
  TurnProducts,
  JoinScatters,
  JoinProducts,
  BlockMemory,
  Schedule,
  ShareMemory,
  SideBySide,
  Products,
  Windows,
  LineTiles,
  LineParts,
  StridedLines,
  FetchParts,
  FetchRows,
  FetchResults,
  FetchPanels,
  BufferRows,
  RowTiles,
  SquarePanels,
  WholeLines,
  NextRows,
  Pictures,
  WidePanels,
  LastColumns,
  HalfVectors,
  KeptRows,
  KeptPanels,
  Pairs,
  TileRegisters,
  SumBlocks,
  FillPanels,
  Vectors,
  ShortRows,
  Blocks,
  Dots,
  Columns,
  Strips,
  Pads,
  Scatters,
  ScatterRows,
  CommonLoads,
  Gathers,
  GatherRows,
  Crossed,
  Squares,
  Quotients,
  JoinBranches,
  Threads,
  PartsInPlace,
  Outline
};

struct OptimizationInfo {
  std::string_view name, file;
};

/// By number.
inline constexpr OptimizationInfo kOptimizations[] = {
    {"fusion", "Kernels/Fuse.h"},
    {"unroll-sums", "Kernels/Unroll.cpp"},
    {"short-axes", "Kernels/ShortAxis.cpp"},
    {"separate-windows", "Kernels/SeparateWindows.cpp"},
    {"turn-products", "Kernels/TurnProducts.cpp"},
    {"join-scatters", "Kernels/Scatters.cpp"},
    {"join-products", "Kernels/JoinProducts.cpp"},
    {"block-memory", "Transforms/RowBlocks.cpp"},
    {"schedule", "Kernels/Schedule.cpp"},
    {"share-memory", "Kernels/ShareMemory.cpp"},
    {"side-by-side", "Transforms/PassPlan.cpp"},
    {"products", "Transforms/Products.cpp"},
    {"windows", "Transforms/ProductWindows.cpp"},
    {"line-tiles", "Transforms/LineTiles.cpp"},
    {"line-parts", "Transforms/ProductParts.cpp"},
    {"strided-lines", "Transforms/ProductStrides.cpp"},
    {"fetch-parts", "Transforms/ProductParts.cpp"},
    {"fetch-rows", "Transforms/ProductFetches.cpp"},
    {"fetch-results", "Transforms/ProductFetches.cpp"},
    {"fetch-panels", "Transforms/ProductFetches.cpp"},
    {"buffer-rows", "Transforms/ProductRows.cpp"},
    {"row-tiles", "Transforms/ProductPacking.cpp"},
    {"square-panels", "Transforms/ProductPacking.cpp"},
    {"whole-lines", "Transforms/ProductMemory.cpp"},
    {"next-rows", "Transforms/NextRows.cpp"},
    {"pictures", "Transforms/ProductPictures.cpp"},
    {"wide-panels", "Transforms/ProductShape.cpp"},
    {"last-columns", "Transforms/ProductColumns.cpp"},
    {"half-vectors", "Transforms/ProductShape.cpp"},
    {"kept-rows", "Runtime/KeptOperands.cpp"},
    {"kept-panels", "Runtime/KeptOperands.cpp"},
    {"pairs", "Transforms/ProductPairs.cpp"},
    {"tile-registers", "Transforms/ProductTileRegisters.cpp"},
    {"sum-blocks", "Transforms/ProductSums.cpp"},
    {"fill-panels", "Transforms/ProductTiles.cpp"},
    {"vectors", "Transforms/ProductVectors.cpp"},
    {"short-rows", "Transforms/ShortRows.cpp"},
    {"blocks", "Transforms/Blocks.cpp"},
    {"dots", "Transforms/Dots.cpp"},
    {"columns", "Transforms/Columns.cpp"},
    {"strips", "Transforms/Strips.cpp"},
    {"pads", "Transforms/Pads.cpp"},
    {"scatters", "Transforms/Scatter.cpp"},
    {"scatter-rows", "Transforms/ScatterRows.cpp"},
    {"common-loads", "Transforms/CommonLoads.cpp"},
    {"gathers", "Transforms/BodyGathers.cpp"},
    {"gather-rows", "Transforms/GatherRows.cpp"},
    {"crossed", "Transforms/Streams.cpp"},
    {"squares", "Transforms/Squares.cpp"},
    {"quotients", "Transforms/BodyQuotients.cpp"},
    {"join-branches", "Transforms/BodyBranches.cpp"},
    {"threads", "Kernels/ProgramBuilder.cpp"},
    {"parts-in-place", "Kernels/PartsInPlace.cpp"},
    {"outline", "JIT/OutlineLoops.cpp"},
};

inline std::optional<Optimization> optimizationOf(std::string_view name) {
  for (size_t i = 0; i < std::size(kOptimizations); ++i)
    if (kOptimizations[i].name == name)
      return Optimization(i);
  return std::nullopt;
}

/// A set of them; all, unless some are taken out.
class Optimizations {
public:
  bool has(Optimization one) const { return !(without_ >> int(one) & 1); }
  void takeOut(Optimization one) { without_ |= uint64_t(1) << int(one); }
  /// The names of those that are not in it: "fusion,strips".
  std::string missing() const {
    std::string names;
    for (size_t i = 0; i < std::size(kOptimizations); ++i)
      if (!has(Optimization(i)))
        names += (names.empty() ? "" : ",") + std::string(kOptimizations[i].name);
    return names;
  }

private:
  uint64_t without_ = 0;
};

} // namespace graphc
