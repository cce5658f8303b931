//===- EmulatedTiles.cpp ---------------------------------------------------===//
//
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, LDTILECFG,
// TILERELEASE, TILEZERO, TILELOADD, TILESTORED and TDPBF16PS.
//
//===----------------------------------------------------------------------===//
#include "API/EmulatedTiles.h"

#include <csignal>

#include <atomic>
#include <cmath>
#include <cstring>

#include "Runtime/CpuIdentity.h"

#if defined(__x86_64__) && defined(__linux__)
#include <ucontext.h>
#define HAS_EMULATED_TILES
#endif

namespace graphc::testing {

static std::atomic<int64_t> products = 0, configurations = 0, held = 0;

int64_t EmulatedTiles::numProducts() { return products; }
int64_t EmulatedTiles::numConfigurations() { return configurations; }
int64_t EmulatedTiles::numHeld() { return held; }

#ifdef HAS_EMULATED_TILES
namespace {

constexpr int kTiles = 8, kRows = 16, kRowBytes = 64;

struct Tiles {
  bool are = false; ///< configured
  int rows[kTiles], bytes[kTiles];
  uint8_t data[kTiles][kRows][kRowBytes];
};
thread_local Tiles tiles;

constexpr int kRegisters[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                REG_R12, REG_R13, REG_R14, REG_R15};

/// An instruction with a VEX prefix of three bytes and a code of the second map.
struct Instruction {
  int prefix, code; ///< 0, 66, f3, f2 by number
  int mode, reg, rm, extra;
  uint64_t base = 0, stride = 0; ///< of memory
  int length = 0;
};

bool decode(const mcontext_t &at, Instruction &to) {
  auto *bytes = reinterpret_cast<const uint8_t *>(at.gregs[REG_RIP]);
  const uint8_t *p = bytes;
  if (p[0] != 0xc4 || (p[1] & 0x1f) != 2 || (p[2] & 0x84)) // W and L are 0
    return false;
  int highReg = p[1] & 0x80 ? 0 : 8, highIndex = p[1] & 0x40 ? 0 : 8,
      highBase = p[1] & 0x20 ? 0 : 8;
  to.extra = ~(p[2] >> 3) & 15;
  to.prefix = p[2] & 3;
  to.code = p[3];
  int modrm = p[4];
  to.mode = modrm >> 6;
  to.reg = (modrm >> 3 & 7) | highReg;
  to.rm = (modrm & 7);
  p += 5;
  auto registerOf = [&](int number) { return uint64_t(at.gregs[kRegisters[number]]); };
  if (to.mode != 3) {
    int base = to.rm | highBase;
    bool hasBase = true;
    if (to.rm == 4) {
      int sib = *p++, index = (sib >> 3 & 7) | highIndex;
      base = (sib & 7) | highBase;
      to.stride = index == 4 ? 0 : registerOf(index) << (sib >> 6);
      hasBase = (sib & 7) != 5 || to.mode != 0;
    } else if (to.rm == 5 && to.mode == 0) {
      return false; // relative to the instruction
    }
    to.base = hasBase ? registerOf(base) : 0;
    if (to.mode == 1) {
      to.base += uint64_t(int64_t(int8_t(*p++)));
    } else if (to.mode == 2 || !hasBase) {
      int32_t distance;
      std::memcpy(&distance, p, sizeof(distance));
      to.base += uint64_t(int64_t(distance));
      p += sizeof(distance);
    }
  } else {
    to.rm |= highBase;
  }
  to.length = int(p - bytes);
  return true;
}

void release() {
  held -= tiles.are;
  tiles.are = false;
}

bool configure(const uint8_t *from) {
  if (from[0] != 1 || from[1] != 0)
    return false;
  for (int i = 2; i < 16; ++i)
    if (from[i])
      return false;
  Tiles made;
  std::memset(&made, 0, sizeof(made));
  for (int i = 0; i < 16; ++i) {
    int bytes = from[16 + 2 * i] | from[17 + 2 * i] << 8, rows = from[48 + i];
    if (i >= kTiles ? bytes || rows : bytes > kRowBytes || rows > kRows || !bytes != !rows)
      return false;
    if (i < kTiles) {
      made.bytes[i] = bytes;
      made.rows[i] = rows;
    }
  }
  release();
  made.are = true;
  tiles = made;
  ++held;
  ++configurations;
  return true;
}

float withoutSubnormal(float number) {
  return std::fpclassify(number) == FP_SUBNORMAL ? std::copysign(0.0f, number) : number;
}

float widened(const uint8_t *from) {
  uint32_t bits = uint32_t(from[0]) << 16 | uint32_t(from[1]) << 24;
  float number;
  std::memcpy(&number, &bits, sizeof(number));
  return withoutSubnormal(number);
}

bool multiply(int to, int x, int y) {
  if (to == x || to == y || x == y || to >= kTiles || x >= kTiles || y >= kTiles ||
      tiles.bytes[to] != tiles.bytes[y] || tiles.rows[to] != tiles.rows[x] ||
      tiles.bytes[x] / 4 != tiles.rows[y])
    return false;
  for (int row = 0; row < tiles.rows[to]; ++row)
    for (int column = 0; column < tiles.bytes[to] / 4; ++column) {
      float sums[2] = {};
      for (int k = 0; k < tiles.bytes[x] / 4; ++k)
        for (int i = 0; i < 2; ++i)
          sums[i] =
              withoutSubnormal(std::fma(widened(&tiles.data[x][row][4 * k + 2 * i]),
                                        widened(&tiles.data[y][k][4 * column + 2 * i]), sums[i]));
      float sum;
      uint8_t *place = &tiles.data[to][row][4 * column];
      std::memcpy(&sum, place, sizeof(sum));
      sum = withoutSubnormal(withoutSubnormal(sum) + withoutSubnormal(sums[0] + sums[1]));
      std::memcpy(place, &sum, sizeof(sum));
    }
  ++products;
  return true;
}

bool perform(const Instruction &i) {
  const bool isRegister = i.mode == 3;
  if (i.code == 0x49 && i.prefix == 0 && !isRegister && i.reg == 0)
    return configure(reinterpret_cast<const uint8_t *>(i.base));
  if (i.code == 0x49 && i.prefix == 0 && isRegister && i.reg == 0 && i.rm == 0) {
    release();
    return true;
  }
  if (!tiles.are || i.reg >= kTiles || tiles.rows[i.reg] == 0)
    return false;
  if (i.code == 0x49 && i.prefix == 3 && isRegister && i.rm == 0) {
    std::memset(tiles.data[i.reg], 0, sizeof(tiles.data[i.reg]));
    return true;
  }
  if (i.code == 0x4b && !isRegister && (i.prefix == 2 || i.prefix == 3)) {
    for (int row = 0; row < tiles.rows[i.reg]; ++row) {
      auto *memory = reinterpret_cast<uint8_t *>(i.base + uint64_t(row) * i.stride);
      uint8_t *data = tiles.data[i.reg][row];
      if (i.prefix == 2) {
        std::memcpy(memory, data, size_t(tiles.bytes[i.reg]));
      } else {
        std::memset(data, 0, kRowBytes);
        std::memcpy(data, memory, size_t(tiles.bytes[i.reg]));
      }
    }
    return true;
  }
  return i.code == 0x5c && i.prefix == 2 && isRegister && multiply(i.reg, i.rm, i.extra);
}

struct sigaction before;

void onIllegal(int, siginfo_t *, void *context) {
  mcontext_t &at = static_cast<ucontext_t *>(context)->uc_mcontext;
  Instruction instruction;
  if (decode(at, instruction) && perform(instruction))
    at.gregs[REG_RIP] += instruction.length;
  else
    sigaction(SIGILL, &before, nullptr); // and once more
}

} // namespace

bool EmulatedTiles::isPossible() { return runsCodeFor("x86-64-v4-bf16"); }

EmulatedTiles::EmulatedTiles() {
  struct sigaction action = {};
  action.sa_sigaction = onIllegal;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &action, &before);
  pretendTileRegisters(true);
}

EmulatedTiles::~EmulatedTiles() {
  pretendTileRegisters(false);
  sigaction(SIGILL, &before, nullptr);
}

#else

bool EmulatedTiles::isPossible() { return false; }
EmulatedTiles::EmulatedTiles() = default;
EmulatedTiles::~EmulatedTiles() = default;

#endif

} // namespace graphc::testing
