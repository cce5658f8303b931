// Section 10 of docs/Semantics.md, row by row: the rules that it became, or the ops that it is
// about and that do not exist. What the rules do is tested by the test over all rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>

#include "Ops/Registry.h"
#include "graphc/Rewrite.h"

namespace graphc {
namespace {

struct Row {
  int number;
  /// Of docs/Semantics.md.
  std::string name;
  std::vector<std::string> rules;
  /// Ops without which the rest of the row is about nothing.
  std::vector<std::string> missingOps = {};
  /// An op that is both sides of the row, so that nothing is left to rewrite.
  std::string bothSides = {};
};

std::vector<Row> rows() {
  return {
      {1, "add_zero", {"add_zero", "add_zero_integer", "add_negative_zero", "collect_terms"}},
      {2, "sub_zero", {"sub_zero", "sub_zero_integer", "sub_positive_zero"}},
      {3, "mul_one", {"mul_one"}},
      {4, "mul_zero", {"mul_zero", "mul_zero_float"}},
      {5, "sub_self", {"sub_self", "sub_self_float"}},
      {6, "div_self", {"div_self"}},
      {7, "div_one", {"div_one", "int_div_one", "int_div_one_float", "mod_one"}},
      {8, "zero_div", {"zero_div", "zero_int_div", "zero_mod"}},
      {9, "div_to_mul_recip", {"div_to_mul", "div_to_mul_rounded"}},
      {10, "neg_neg", {"neg_neg"}},
      // The canonical form is -x.
      {11, "neg_to_mul", {"mul_minus_one", "div_minus_one", "zero_sub"}},
      {12, "sub_neg", {"sub_neg", "add_neg", "neg_sub"}},
      {13, "neg_div_neg", {"neg_div_neg", "neg_mul_neg", "neg_mul", "neg_div", "div_neg"}},
      {14, "add_canonizer", {"collect_terms", "collect_terms_float", "add_sub_integer"}},
      {15, "mul_canonizer", {"collect_factors", "collect_factors_float", "mul_constants"}},
      {16, "add_to_mul", {"add_self"}},
      {17, "mul_to_sqr", {"mul_self"}},
      {18, "pow_specialize", {"pow_one", "pow_zero", "pow_two", "pow_minus_one", "pow_minus_two"}},
      {19, "pow_half", {"pow_half", "pow_minus_half"}},
      {20,
       "pow_to_nested_sqr",
       {"pow_three", "pow_four", "pow_to_squares", "pow_to_squares_integer",
        "pow_to_many_squares"}},
      {21, "pow_canonicalize", {"one_pow", "pow_zero"}},
      {22, "mul_pow_to_pow_add", {"mul_powers", "mul_powers_whole"}},
      {23, "mul_exp_to_exp_add", {"mul_exp", "div_exp"}},
      {24, "div_exp_to_mul_exp", {"div_exp_to_mul", "reciprocal_exp"}},
      {25, "exp_log", {"log_exp", "exp_log"}},
      {26, "sqrt_sqr", {"sqrt_sqr", "sqr_sqrt"}},
      {27, "log_sqrt", {"log_sqrt"}},
      {28, "log_div", {"log_div"}},
      {29, "log1p", {"log1p", "log1p_neg"}},
      {30, "expm1", {"expm1", "expm1_neg"}},
      {31, "log1mexp", {"log1mexp", "log1mexp_of_sub"}},
      {32, "log1p_exp", {"softplus"}},
      {33,
       "log_add_exp",
       {"logaddexp", "logaddexp_of_three", "logaddexp_of_many", "logaddexp_one"}},
      {34, "log_sum_exp", {"logsumexp"}},
      {35,
       "exp_over_1_plus_exp",
       {"sigmoid_of_ratio", "sigmoid_of_reciprocal", "sigmoid_of_div",
        "sigmoid_neg_of_reciprocal"}},
      {36, "one_minus_sigmoid", {"one_minus_sigmoid"}},
      {37, "log_sigmoid", {"log_sigmoid", "log_one_minus_sigmoid"}},
      {38, "sigm_times_exp", {"sigmoid_times_exp"}},
      {39, "odds_sigmoid", {"odds", "odds_of_sub"}},
      {40, "sigmoid_logit", {"sigmoid_logit", "logit_of_sub", "logit_sigmoid"}},
      {41, "one_minus_erf", {"one_minus_erf", "erf_minus_one", "one_plus_erf"}},
      {42, "one_minus_erfc", {"one_minus_erfc", "erfc_minus_one"}},
      {43, "log_erfc", {"log_erfc"}},
      {44, "softmax_stabilize", {"softmax_of_ratio"}},
      {45, "logsoftmax", {"log_softmax", "log_softmax_of_sub"}},
      {46, "crossentropy_softmax", {}, {"crossentropySoftmax", "advancedSubtensor"}},
      {47, "abs_lift/merge", {"mul_abs", "div_abs"}},
      {48, "useless_abs", {"abs_abs", "abs_sqr", "abs_exp", "abs_sqrt", "abs_sigmoid"}},
      {49, "sign_div", {"sgn_scaled", "sgn_quotient"}},
      {50,
       "comparison_simplify",
       {"shape_not_negative", "shape_negative", "lt_self", "gt_self", "le_self", "ge_self"}},
      {51, "useless_switch", {"switch_same", "switch_true", "switch_false"}},
      {52,
       "merge_switch",
       {"merge_switch_add", "merge_switch_sub", "merge_switch_mul", "merge_switch_div",
        "merge_switch_maximum", "merge_switch_minimum"}},
      {53, "mul_switch_sink", {"mul_switch_zero", "mul_switch_else_zero"}},
      {54, "cast_cast", {"cast_cast"}},
      {55, "useless_cast", {"cast_to_own"}},
      {56, "upcast_const", {"upcast_constants"}},
      {57,
       "useless_elemwise",
       {"identity", "add_one_term", "mul_one_factor", "maximum_self", "minimum_self", "and_self",
        "or_self", "bit_and_self", "bit_or_self", "eq_self"}},
      {58,
       "dimshuffle_lift",
       {"dimshuffle_lift", "dimshuffle_lift_binary", "dimshuffle_pair", "dimshuffle_identity"}},
      {59, "alloc_elemwise", {"add_of_broadcast", "sub_by_broadcast", "lt_of_broadcast"}},
      {60, "fill_sink", {"second_second", "add_of_second", "sub_by_second", "second_of_own"}},
      {61, "useless_alloc", {"broadcast_to_own"}},
      {62,
       "sum_of_mul",
       {"sum_of_scaled", "sum_of_scaled_integer", "sum_of_quotient", "prod_of_scaled"}},
      {63, "sum_of_neg", {"sum_neg", "sum_neg_integer"}},
      {64,
       "sum_chain",
       {"sum_chain", "sum_chain_float", "prod_chain", "max_chain", "min_chain", "any_chain",
        "all_chain", "sum_chain_kept", "prod_chain_kept", "max_chain_kept", "min_chain_kept",
        "any_chain_kept", "all_chain_kept"}},
      {65,
       "useless_reduce",
       {"max_no_axes", "min_no_axes", "sum_of_single_elements", "prod_of_single_elements",
        "max_of_single_elements", "min_of_single_elements", "any_of_single_elements",
        "all_of_single_elements"}},
      {66, "reduce_join", {"sum_of_join", "prod_of_join", "any_of_join", "all_of_join"}},
      {67, "reduce_of_alloc", {"sum_of_copies", "sum_of_second", "max_of_copies", "min_of_copies"}},
      {68, "max_and_argmax", {"max_neg", "min_neg", "argmax_neg", "argmin_neg"}, {"maxAndArgmax"}},
      {69,
       "local_dot_to_mul",
       {"dot_of_single_terms", "dot_of_single_terms_float", "matmul_of_single_terms",
        "matmul_of_single_terms_float"}},
      {70, "dot_zero", {"dot_zero", "zero_dot", "dot_zero_float", "zero_dot_float"}},
      {71, "gemm/gemv/ger", {}, {"gemm", "gemv", "ger"}},
      {72, "transpose_dot", {"transpose_dot", "transpose_matmul", "dimshuffle_pair"}},
      {73, "inv_dot_to_solve", {"inv_dot_to_solve", "inv_matmul_to_solve"}},
      {74, "det_special", {"det_cholesky"}},
      {75, "log_abs_det", {"log_abs_det"}},
      {76, "useless_reshape", {"reshape_reshape", "reshape_to_own", "reshape_of_ones"}},
      {77, "shape_lift", {"shape_lift", "shape_lift_unchecked", "shape_position"}},
      {78, "useless_subtensor", {"whole_slice", "whole_slice_to"}},
      {79, "subtensor_merge", {"subtensor_merge"}},
      {80, "subtensor_lift", {"subtensor_lift", "subtensor_lift_binary"}},
      {81, "negative_index", {"negative_index"}},
      {82, "incsub_zero", {"increased_by_zero"}},
      {83, "set_then_get", {"set_then_get"}},
      {84, "get_then_set", {"get_then_set"}},
      {85, "adv_to_basic", {"take_to_slice"}, {"advancedSubtensor"}},
      {86,
       "join_one/empty",
       {"join_one", "join_empty_first", "join_empty_last", "join_join_left", "join_join_right",
        "join_of_joins"}},
      {87, "split/useless", {"split_one"}},
      {88,
       "make_vector_index",
       {"join_index", "join_position", "new_axis_index", "expanded_position"}},
      {89, "useless_assert", {"useless_assert"}},
      {90, "ifelse_merge/lift", {"if_else_same", "if_else_true", "if_else_false"}},
      {91, "scan_*", {}, {"scan"}},
      {92, "inline_ofg", {"inline_graphs"}},
      {93, "reciprocal_chain", {"reciprocal_reciprocal", "one_div"}},
      // digamma and trigamma are functions that make the op with its order.
      {94, "poly_gamma", {}, {}, "polygamma"},
      {95,
       "greedy_distributor",
       {"distribute_constants", "distribute_constants_float", "distribute_float",
        "distribute_difference_float", "factor_out"}},
  };
}

/// Number and name of each row of the page.
std::vector<std::pair<int, std::string>> rowsOfThePage() {
  std::ifstream in(std::string(GRAPHC_TEST_DATA) + "/../../docs/Semantics.md");
  std::regex row(R"(^\| (\d+) \| (\S+) \|.*)");
  std::vector<std::pair<int, std::string>> found;
  std::smatch match;
  for (std::string line; std::getline(in, line);)
    if (std::regex_match(line, match, row))
      found.emplace_back(std::stoi(match[1]), match[2]);
  return found;
}

TEST(CatalogueRows, EachHasItsRules) {
  std::vector<std::pair<int, std::string>> named;
  for (const Row &row : rows())
    named.emplace_back(row.number, row.name);
  EXPECT_THAT(rowsOfThePage(), testing::ElementsAreArray(named));
  EXPECT_EQ(named.size(), 95u);

  std::set<std::string> known;
  for (const RewriteDatabase::Entry &entry : builtinRewrites().entries())
    known.insert(entry.name);
  for (const Row &row : rows()) {
    EXPECT_FALSE(row.rules.empty() && row.missingOps.empty() && row.bothSides.empty())
        << row.number << " " << row.name;
    EXPECT_TRUE(row.bothSides.empty() || findOp(row.bothSides)) << row.number << " " << row.name;
    for (const std::string &rule : row.rules)
      EXPECT_TRUE(known.contains(rule)) << row.number << " " << row.name << ": " << rule;
    for (const std::string &op : row.missingOps)
      EXPECT_EQ(findOp(op), nullptr) << row.number << " " << row.name << " can be written: " << op;
  }
}

} // namespace
} // namespace graphc
