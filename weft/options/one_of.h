// A choice among kinds, each with a name and options:
//
//   struct FullAttention { static constexpr std::string_view kName = "full"; };
//   struct LocalAttention {
//     static constexpr std::string_view kName = "local";
//     static constexpr std::string_view kHelp = "rows at most --attention-window away";  // if any
//     int64_t window = 0;
//     template <class V> void fields(V& v) { v("attention-window", window, {...}); }  // if any
//   };
//   OneOf<FullAttention, LocalAttention> kind;  // full; choice() in fields.h visits it
//
// The options of all kinds are stored, so that an error can name an option whose kind is not
// selected.
#ifndef WEFT_OPTIONS_ONE_OF_H_
#define WEFT_OPTIONS_ONE_OF_H_

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace weft::options {

// The name and description of a kind, and a name that it had in earlier versions.
struct KindInfo {
  std::string_view name;
  std::string_view help = {};
  std::string_view former_name = {};
};

// The index of the selected kind.
class Selection {
 public:
  explicit constexpr Selection(std::span<const KindInfo> kinds) : kinds_(kinds) {}

  std::span<const KindInfo> kinds() const { return kinds_; }
  size_t index() const { return index_; }
  std::string_view name() const { return kinds_[index_].name; }
  // Returns false and changes nothing if no kind has, or had, this name.
  bool select(std::string_view name);
  void select(size_t index) { index_ = index; }

 private:
  std::span<const KindInfo> kinds_;
  size_t index_ = 0;
};

// The names joined by '|', without empty ones: "full|local".
std::string joined_names(std::span<const KindInfo> kinds);
// Throws OptionError and lists the known kinds.
[[noreturn]] void fail_unknown_kind(std::span<const KindInfo> kinds, std::string_view name);

template <class Kind>
constexpr KindInfo info_of() {
  KindInfo info{.name = Kind::kName};
  if constexpr (requires { Kind::kHelp; }) info.help = Kind::kHelp;
  if constexpr (requires { Kind::kFormerName; }) info.former_name = Kind::kFormerName;
  return info;
}

template <class... Kinds>
class OneOf {
  template <class K>
  static constexpr bool kHas = (std::is_same_v<K, Kinds> || ...);

  template <class K>
  static constexpr size_t index_of() {
    static_assert(kHas<K>, "not among the kinds");
    size_t index = 0;
    (void)((std::is_same_v<K, Kinds> || (++index, false)) || ...);
    return index;
  }

 public:
  static constexpr std::array<KindInfo, sizeof...(Kinds)> kKinds{info_of<Kinds>()...};

  OneOf() = default;  // the first kind
  template <class K>
  requires kHas<K> OneOf(K kind) { *this = std::move(kind); }
  // Selects the kind, with these options.
  template <class K>
  requires kHas<K> OneOf& operator=(K kind) {
    get<K>() = std::move(kind);
    selection_.select(index_of<K>());
    return *this;
  }

  // Throws OptionError for an unknown name.
  void select(std::string_view name) {
    if (!selection_.select(name)) fail_unknown_kind(kKinds, name);
  }
  std::string_view name() const { return selection_.name(); }
  const Selection& selection() const { return selection_; }
  Selection& selection() { return selection_; }
  static std::string_view choices() {
    static const std::string text = joined_names(kKinds);
    return text;
  }

  // Whether one of these kinds is selected.
  template <class... K>
  bool is() const {
    return ((selection_.index() == index_of<K>()) || ...);
  }
  // The options of a kind, whether or not it is selected.
  template <class K>
  const K& get() const {
    return std::get<K>(kinds_);
  }
  template <class K>
  K& get() {
    return std::get<K>(kinds_);
  }
  // Null unless K is selected.
  template <class K>
  const K* get_if() const {
    return is<K>() ? &get<K>() : nullptr;
  }

  // Calls f with the selected kind.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return visit_from<0>(f);
  }
  // Calls f with each kind in order.
  template <class F>
  void each(F&& f) {
    std::apply([&](auto&... kind) { (f(kind), ...); }, kinds_);
  }

 private:
  template <size_t I, class F>
  decltype(auto) visit_from(F& f) const {
    if constexpr (I + 1 < sizeof...(Kinds)) {
      if (selection_.index() != I) return visit_from<I + 1>(f);
    }
    return f(std::get<I>(kinds_));
  }

  Selection selection_{kKinds};
  [[no_unique_address]] std::tuple<Kinds...> kinds_;
};

// A std::variant without duplicate types: std::variant<A, B> for A, B, A.
template <class Seen, class... Rest>
struct UniqueVariantFrom {
  using Type = Seen;
};
template <class... Seen, class T, class... Rest>
struct UniqueVariantFrom<std::variant<Seen...>, T, Rest...> {
  using Next = std::conditional_t<(std::is_same_v<T, Seen> || ...), std::variant<Seen...>,
                                  std::variant<Seen..., T>>;
  using Type = typename UniqueVariantFrom<Next, Rest...>::Type;
};
template <class... Types>
using UniqueVariant = typename UniqueVariantFrom<std::variant<>, Types...>::Type;

// The variant of all types that kind.make(args...) returns for the kinds of a choice.
template <class Choice, class... Args>
struct MadeFrom;
template <class... Kinds, class... Args>
struct MadeFrom<OneOf<Kinds...>, Args...> {
  using Type =
      UniqueVariant<decltype(std::declval<const Kinds&>().make(std::declval<const Args&>()...))...>;
};
template <class Choice, class... Args>
using VariantMadeFrom = typename MadeFrom<Choice, Args...>::Type;

}  // namespace weft::options

#endif  // WEFT_OPTIONS_ONE_OF_H_
