//===- BorrowTest.cpp - what results share with whom ----------------------===//
//
// F-162, F-163, F-171 to F-173: each test writes after the call, and looks who sees it.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <cstdio>

#include "Calls.h"
#include "graphc/Function.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

const void *memoryOf(const Tensor &t) { return t.data(); }

constexpr OutOptions kBorrow{.borrow = true};

class Borrow : public ::testing::Test {
protected:
  Variable x = dvector("x"), y = dvector("y");
  Param lent = In(x, {.borrow = true}), given = In(x, {.mutableInput = true});
};

//===--- F-162: arguments that calls may overwrite ------------------------------===//

// F-162: mutable=true.
TEST_F(Borrow, AMutableArgumentThatIsGivenAwayBecomesTheResult) {
  Function f = made(function({given, y}, x * 2 + y));
  Tensor mine({1, 2}), other({10, 20});
  const void *place = memoryOf(mine);
  Results moved = called(f(std::move(mine), other));
  EXPECT_EQ(memoryOf(moved[0]), place);
  EXPECT_EQ(moved[0], Tensor({12, 24}));
  EXPECT_EQ(other, Tensor({10, 20}));
}

TEST_F(Borrow, AMutableArgumentThatIsKeptStays) {
  Function f = made(function({given}, x * 2));
  Tensor mine({1, 2});
  Tensor result = called(f(mine))[0];
  result.mutableFlat<double>()[0] = 99;
  EXPECT_EQ(mine, Tensor({1, 2}));
  EXPECT_EQ(result, Tensor({99, 4}));
}

TEST_F(Borrow, UnlessTheResultIsBorrowedToo) {
  Function f = made(function({given}, Out(x * 2, kBorrow)));
  Tensor mine({1, 2});
  Tensor result = called(f(mine))[0];
  EXPECT_EQ(mine, Tensor({2, 4}));
  result.mutableFlat<double>()[0] = 99;
  EXPECT_EQ(mine, Tensor({99, 4}));
  double array[] = {3, 4};
  Tensor outside = *Tensor::borrow(DType::Float64, array, {2});
  EXPECT_EQ(called(f(outside))[0], Tensor({6, 8}));
  EXPECT_EQ(array[1], 8);
}

// F-162: mutable=false: the same bytes, always.
TEST_F(Borrow, OtherArgumentsStay) {
  Function f = made(function({lent}, Out(x * 2, kBorrow)));
  double array[] = {1, 2};
  Tensor mine = *Tensor::borrow(DType::Float64, array, {2});
  EXPECT_EQ(called(f(std::move(mine)))[0], Tensor({2, 4}));
  EXPECT_EQ(array[0], 1);
  Tensor kept({1, 2});
  EXPECT_FALSE(called(f(kept))[0].overlaps(kept));
  EXPECT_EQ(kept, Tensor({1, 2}));
}

// Of memory that the call reads elsewhere nothing is overwritten.
TEST_F(Borrow, ArgumentsThatOverlapStay) {
  Param both = In(y, {.mutableInput = true});
  Function f = made(function({given, both}, {Out(x * 2, kBorrow), Out(y + x, kBorrow)}));
  Tensor mine({1, 2});
  Results r = called(f(mine, mine));
  EXPECT_EQ(r[0], Tensor({2, 4}));
  EXPECT_EQ(r[1], Tensor({2, 4}));
  EXPECT_EQ(mine, Tensor({1, 2}));

  SharedVariable s = shared(Tensor({1, 2}), "s");
  Function g = made(function({given}, Out(x * 2, kBorrow), {.updates = {{s, s + 1}}}));
  Tensor value = s.get({.borrow = true});
  EXPECT_EQ(called(g(value))[0], Tensor({2, 4}));
  EXPECT_EQ(s.get(), Tensor({2, 3}));
  EXPECT_EQ(value, Tensor({1, 2}));
}

TEST_F(Borrow, ArgumentsOfFunctionsWithValues) {
  SharedVariable s = shared(Tensor({1, 1}), "s");
  Function f = made(function({given}, x + s, {.updates = {{s, s + x}}}));
  Tensor mine({1, 2}), kept({5, 5});
  EXPECT_EQ(called(f(std::move(mine)))[0], Tensor({2, 3}));
  EXPECT_EQ(s.get(), Tensor({2, 3}));
  EXPECT_EQ(called(f(kept))[0], Tensor({7, 8}));
  EXPECT_EQ(kept, Tensor({5, 5}));
  EXPECT_EQ(s.get(), Tensor({7, 8}));
}

//===--- F-163, F-172: inputs, and the same variable twice ----------------------===//

TEST_F(Borrow, AnInputIsCopiedUnlessBothEndsBorrow) {
  struct Case {
    Param input;
    Out output;
    bool shares;
  };
  for (const Case &c : {Case{x, x, false}, Case{lent, x, false}, Case{x, Out(x, kBorrow), false},
                        Case{lent, Out(x, kBorrow), true}}) {
    Tensor mine({1, 2});
    Tensor result = called(made(function({c.input}, c.output))(mine))[0];
    EXPECT_EQ(result.overlaps(mine), c.shares);
    result.mutableFlat<double>()[0] = 99;
    EXPECT_EQ(mine.flat<double>()[0], c.shares ? 99 : 1);
  }
}

TEST_F(Borrow, ViewsOfAnInput) {
  Variable m = dmatrix("m");
  Tensor mine({{1, 2, 3}, {4, 5, 6}});
  Function f = made(function({In(m, {.borrow = true})}, Out(reshape(m, {6}), kBorrow)));
  Tensor flat = called(f(mine))[0];
  EXPECT_TRUE(flat.overlaps(mine));
  EXPECT_EQ(flat, Tensor({1, 2, 3, 4, 5, 6}));
  Tensor turned = *mine.transpose({{1, 0}}); // strided: the elements come in another order
  EXPECT_EQ(called(f(turned))[0], Tensor({1, 4, 2, 5, 3, 6}));
}

// F-163: arguments that overlap do not alias inside.
TEST_F(Borrow, ResultsOfOverlappingArgumentsAreApart) {
  Param other = In(y, {.borrow = true});
  Function f = made(function({lent, other}, {Out(x, kBorrow), Out(y, kBorrow)}));
  Tensor mine({1, 2});
  Results r = called(f(mine, mine));
  EXPECT_FALSE(r[0].overlaps(r[1]));
  Tensor apart({3, 4});
  EXPECT_TRUE(called(f(mine, apart))[1].overlaps(apart));
}

// F-172
TEST_F(Borrow, OneVariableTwice) {
  Variable e = x * 2;
  for (bool first : {false, true})
    for (bool second : {false, true}) {
      Results r = called(made(
          function({x}, {Out(e, {.borrow = first}), Out(e, {.borrow = second})}))(Tensor({1, 2})));
      EXPECT_EQ(r[0].overlaps(r[1]), first && second);
      EXPECT_EQ(r[0], Tensor({2, 4}));
      EXPECT_EQ(r[1], Tensor({2, 4}));
    }
}

//===--- F-171, F-173: constants and shared variables ---------------------------===//

TEST_F(Borrow, ConstantsNeverChange) {
  std::vector<double> numbers(100, 2); // more than a Tensor has room for in itself
  Tensor value = *Tensor::fromSpan<double>(numbers, {100});
  Function f = made(function({}, Out(constant(value), kBorrow)));
  std::string path = ::testing::TempDir() + "constants.graphc";
  ASSERT_TRUE(f.save(path).ok());
  for (const Function &g :
       {f, made(loadFunction(path)), made(loadFunction(path, {.trustCode = true}))}) {
    Tensor first = called(g())[0];
    first.mutableFlat<double>()[0] = 99;
    EXPECT_EQ(called(g())[0], value);
  }
}

// F-171, F-173
TEST_F(Borrow, ASharedVariable) {
  SharedVariable s = shared(Tensor({1, 2}), "s");
  Function copies = made(function({}, s)), lends = made(function({}, Out(s, kBorrow)));
  EXPECT_FALSE(called(copies())[0].overlaps(s.get({.borrow = true})));
  Tensor seen = called(lends())[0];
  EXPECT_TRUE(seen.overlaps(s.get({.borrow = true})));
  // A step meanwhile takes other memory.
  Function step = made(function({}, Out(s, kBorrow), {.updates = {{s, s + 1}}}));
  Tensor old = called(step())[0];
  EXPECT_EQ(old, Tensor({1, 2}));
  EXPECT_EQ(seen, Tensor({1, 2}));
  EXPECT_EQ(s.get(), Tensor({2, 3}));
}

TEST_F(Borrow, InSubsetsCopiesAndFiles) {
  SharedVariable s = shared(Tensor({1, 2}), "s");
  Function f =
      made(function({lent}, {{"e", x * 2}, {"s", s, kBorrow}, {"x", x, kBorrow}, {"own", x}}));
  std::string path = ::testing::TempDir() + "borrow.graphc";
  ASSERT_TRUE(f.save(path).ok());
  Tensor mine({1, 2});
  for (const Function &g : {f, made(f.copy()), made(loadFunction(path)),
                            made(loadFunction(path, {.trustCode = true}))}) {
    Results all = called(g(mine));
    EXPECT_TRUE(all[2].overlaps(mine));
    EXPECT_TRUE(all[1].overlaps(*g["s"].get({.borrow = true})));
    Results some = called(g.call({mine}, {}, {.outputSubset = OutputSubset{2, 0}}));
    EXPECT_TRUE(some[0].overlaps(mine));
    EXPECT_FALSE(some[1].overlaps(mine));
    some = called(g.call({mine}, {}, {.outputSubset = OutputSubset{3, 2}}));
    EXPECT_FALSE(some[0].overlaps(mine));
    EXPECT_TRUE(some[1].overlaps(mine));
  }
  std::remove(path.c_str());
}

} // namespace
} // namespace graphc
