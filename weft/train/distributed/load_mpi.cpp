#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "weft/core/error.h"
#include "weft/train/distributed/launch.h"
#include "weft/train/distributed/mpi_module.h"

namespace weft::train {
namespace {

constexpr const char* kModuleVariable = "WEFT_MPI_MODULE";
constexpr const char* kModuleFile = "weft_mpi.so";

std::atomic<const MpiModule*> loaded_module = nullptr;

// The module's file; empty if there is none.
std::filesystem::path find_module() {
  std::error_code none;
  if (const char* given = std::getenv(kModuleVariable); given != nullptr && *given != '\0') {
    if (std::filesystem::is_regular_file(given, none)) return given;
    fail<OptionError>(kModuleVariable, "expected the module {}, got \"{}\", which is no file",
                      kModuleFile, given);
  }
  const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  for (const auto& path : {folder / kModuleFile, folder / "../lib/weft" / kModuleFile}) {
    if (std::filesystem::is_regular_file(path, none)) return path.lexically_normal();
  }
  return {};
}

// Never unloaded: MPI keeps threads and handlers of its own.
const MpiModule& load_module() {
  const std::filesystem::path path = find_module();
  if (path.empty()) {
    fail<OptionError>("mpirun",
                      "{} processes were started, which takes the module {}; expected it beside "
                      "the program, in ../lib/weft, or as ${}; hint: build it with -DWEFT_MPI=ON "
                      "and libopenmpi-dev",
                      launch().ranks, kModuleFile, kModuleVariable);
  }
  // Open MPI loads parts of its own, which look for its symbols among those of the program.
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr) {
    fail<OptionError>("mpirun", "cannot load {}: {}", path.string(), dlerror());
  }
  const auto entry = reinterpret_cast<MpiModuleEntry>(dlsym(module, kMpiModuleEntry));
  const MpiModule* found = entry != nullptr ? entry() : nullptr;
  const std::string_view version = found != nullptr ? found->version : "none";
  if (version != WEFT_VERSION) {
    fail<OptionError>("mpirun", "expected the module {} of Weft " WEFT_VERSION ", got version {}",
                      path.string(), version);
  }
  return *found;
}

}  // namespace

std::unique_ptr<Group> make_mpi_group() {
  const MpiModule& module = load_module();
  loaded_module = &module;
  return std::unique_ptr<Group>(module.make_group());
}

void end_all_ranks(int status) {
  if (const MpiModule* module = loaded_module) module->end_all_ranks(status);
}

}  // namespace weft::train
