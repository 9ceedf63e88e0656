// Friction elements for C++17: bristle.h with an owner that frees, and exceptions where something cannot be made.
//
// What runs in a control loop is noexcept and gives a code, as in C.
#ifndef BRISTLE_HPP
#define BRISTLE_HPP

#include "bristle.h"

#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace bristle {

// Why something could not be made.
class error : public std::runtime_error {
public:
  explicit error(const bristle_failure &failure) : std::runtime_error(failure.text), code(failure.code) {}
  const int code;
};

// A parameter: a number or a choice.
struct parameter {
  parameter(std::string name, double value) : name(std::move(name)), value(value) {}
  parameter(std::string name, const char *text) : name(std::move(name)), text(text) {}
  std::string name;
  double value = 0.0;
  std::string text;
};

// A friction element on the heap. Nothing is allocated after it is made.
class element {
public:
  element(const std::string &model, const std::vector<parameter> &parameters = {}, const std::string &law = "stribeck") {
    std::vector<bristle_parameter> all;
    for (const parameter &p : parameters) {
      all.push_back({p.name.c_str(), p.value, p.text.empty() ? nullptr : p.text.c_str()});
    }
    bristle_failure failure{};
    bristle_element *made = nullptr;
    if (bristle_create(model.c_str(), law.c_str(), all.data(), all.size(), &made, &failure) != 0) throw error(failure);
    own.reset(made);
  }

  // From the text of a file with a table [friction].
  static element from_text(const std::string &toml) {
    bristle_failure failure{};
    bristle_element *made = nullptr;
    if (bristle_create_from_text(toml.c_str(), &made, &failure) != 0) throw error(failure);
    return element(made);
  }

  int step(double v, double load, double h, double &force) noexcept {
    return bristle_step(own.get(), v, load, h, &force);
  }
  int step_body(double v, double load, double mass, double push, double h, double &force, double &v_after) noexcept {
    return bristle_step_body(own.get(), v, load, mass, push, h, &force, &v_after);
  }
  int observe(double v, double error, double gain, double load, double h, double &force) noexcept {
    return bristle_observe(own.get(), v, error, gain, load, h, &force);
  }
  int force(double v, double load, double &force) noexcept { return bristle_force(own.get(), v, load, &force); }
  int steady(double v, double load, double &force) noexcept { return bristle_steady(own.get(), v, load, &force); }
  int energy(double &stored, double &dissipated) noexcept {
    return bristle_energy(own.get(), &stored, &dissipated);
  }
  int reset() noexcept { return bristle_reset(own.get()); }
  bristle_element *get() noexcept { return own.get(); }

private:
  explicit element(bristle_element *made) : own(made) {}
  struct free {
    void operator()(bristle_element *element) const noexcept { bristle_free(element); }
  };
  std::unique_ptr<bristle_element, free> own;
};

}  // namespace bristle

#endif
