// Friction feed-forward in the shape of a ros2_control controller, without ROS: configure, activate, update.
//
//   g++ -std=c++17 -I include examples/feedforward.cpp -L target/release -lbristle_c -lm -lpthread -ldl -o feedforward
#include "bristle.hpp"

#include <cmath>
#include <cstdio>
#include <optional>

enum class CallbackReturn { SUCCESS, ERROR };
enum class return_type { OK, ERROR };

class FrictionFeedforward {
public:
  // Not in real time: reads parameters and may allocate.
  CallbackReturn on_configure(const std::string &friction) {
    try {
      model.emplace(bristle::element::from_text(friction));
    } catch (const bristle::error &error) {
      std::fprintf(stderr, "%s\n", error.what());
      return CallbackReturn::ERROR;
    }
    return CallbackReturn::SUCCESS;
  }

  CallbackReturn on_activate() { return model->reset() == 0 ? CallbackReturn::SUCCESS : CallbackReturn::ERROR; }

  // In real time: reference velocity in, effort out.
  return_type update(double reference, double load, double period, double &effort) noexcept {
    return model->step(reference, load, period, effort) == 0 ? return_type::OK : return_type::ERROR;
  }

private:
  std::optional<bristle::element> model;
};

int main() {
  FrictionFeedforward controller;
  if (controller.on_configure("[friction]\nmodel = \"lugre\"\nsigma9 = 1.0\n") != CallbackReturn::ERROR) return 1;
  if (controller.on_configure("[friction]\nmodel = \"lugre\"\nset = \"lugre-or-not-set-2\"\n") != CallbackReturn::SUCCESS) {
    return 1;
  }
  if (controller.on_activate() != CallbackReturn::SUCCESS) return 1;
  double effort = 0.0, most = 0.0;
  for (int k = 0; k < 2000; ++k) {
    const double reference = 0.02 * std::sin(2.0 * 3.141592653589793 * 0.5 * 1e-3 * k);
    if (controller.update(reference, 9.81, 1e-3, effort) != return_type::OK) return 1;
    most = std::fmax(most, std::fabs(effort));
  }
  if (controller.update(std::nan(""), 9.81, 1e-3, effort) != return_type::ERROR) return 1;
  std::printf("effort %.6f N at the end, %.6f N at most\n", effort, most);
  return 0;
}
