// A configuration struct T lists its fields once:
//
//   static void fields(FieldsOf<T> f) { f("heads", &T::heads, "attention heads"); }
//
// Whoever sets fields (YAML, JSON, command line) is a FieldSetter and gets T&; whoever looks at them (JSON,
// help texts) is a Fields and gets const T&. Both go through that list, so a default stands in one place: the
// member's initialiser. A record that is only written has `void fields(Fields& f) const` instead.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace attune {

// The words of an enumeration E, in the order of its values, by enum_names(E{}): std::span<const char*
// const>.
template <class E>
std::vector<std::string> words_of() {
  const auto list = enum_names(E{});
  return {list.begin(), list.end()};
}

// A member that takes one of a few words: which one it has, and how it gets another.
struct Choice {
  std::vector<std::string> words;
  std::string word;
};
struct Choosing {
  std::vector<std::string> words;
  std::function<void(size_t)> set;  // to words[i]
};

// Looks at fields.
class Fields {
 public:
  using Value = std::variant<const bool*, const int64_t*, const double*, const std::string*,
                             const std::vector<std::string>*, Choice>;
  virtual ~Fields() = default;

  template <class M>
  void operator()(std::string_view name, const M& member, std::string_view help) {
    if constexpr (std::is_enum_v<M>) {
      const auto words = words_of<M>();
      visit(name, Choice{words, words[static_cast<size_t>(member)]}, help);
    } else {
      visit(name, &member, help);
    }
  }

 protected:
  virtual void visit(std::string_view name, const Value& value, std::string_view help) = 0;
};

// Sets fields.
class FieldSetter {
 public:
  using Target = std::variant<bool*, int64_t*, double*, std::string*, std::vector<std::string>*, Choosing>;
  virtual ~FieldSetter() = default;

  template <class M>
  void operator()(std::string_view name, M& member, std::string_view /*help*/) {
    if constexpr (std::is_enum_v<M>)
      visit(name, Choosing{words_of<M>(), [&member](size_t i) { member = static_cast<M>(i); }});
    else
      visit(name, &member);
  }

 protected:
  virtual void visit(std::string_view name, const Target& target) = 0;
};

// What a list of fields is given: one of the two, with the object whose fields they are.
template <class T>
class FieldsOf {
 public:
  FieldsOf(const T& object, Fields& visitor) : at_(Looking{&object, &visitor}) {}
  FieldsOf(T& object, FieldSetter& visitor) : at_(Setting{&object, &visitor}) {}
  // The same for the fields of a base.
  template <std::derived_from<T> Derived>
  // NOLINTNEXTLINE(google-explicit-constructor): a list of the derived type is one of its base
  FieldsOf(const FieldsOf<Derived>& other)
      : FieldsOf(std::visit([](auto at) { return FieldsOf(*at.object, *at.visitor); }, other.at_)) {}

  template <class Base, class M>
  void operator()(std::string_view name, M Base::*member, std::string_view help) {
    std::visit([&](auto at) { (*at.visitor)(name, at.object->*member, help); }, at_);
  }

  // For the fields of a member.
  template <class Base, class M>
  FieldsOf<M> in(M Base::*member) const {
    return std::visit([&](auto at) { return FieldsOf<M>(at.object->*member, *at.visitor); }, at_);
  }

 private:
  template <class>
  friend class FieldsOf;
  struct Looking {
    const T* object;
    Fields* visitor;
  };
  struct Setting {
    T* object;
    FieldSetter* visitor;
  };
  std::variant<Looking, Setting> at_;
};

// Shows the visitor all fields: by the object's own function, or by the list of its type.
template <class T, class Visitor>
void visit_fields(T& object, Visitor& f) {
  if constexpr (requires { object.fields(f); })
    object.fields(f);
  else
    T::fields(FieldsOf<std::remove_const_t<T>>(object, f));
}

// The fields of `object`, for either visitor; a constant object's can only be looked at.
template <class T>
auto fields_of(T& object) {
  return [&object]<class Visitor>(Visitor & f) requires(std::derived_from<Visitor, Fields> ||
                                                        !std::is_const_v<T>) {
    visit_fields(object, f);
  };
}

using FieldList = std::function<void(Fields&)>;            // of any fields, to look at them
using SettableFields = std::function<void(FieldSetter&)>;  // to set them

}  // namespace attune
