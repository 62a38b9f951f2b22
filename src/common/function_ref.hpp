// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

namespace tombola::impl {

// A reference to a callable. It allocates nothing and is valid only during the call that it is passed to.
template <class Signature>
class FunctionRef;
template <class R, class... Args>
class FunctionRef<R(Args...)> {
  public:
    template <class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<F>, FunctionRef>>>
    FunctionRef(F&& f)
        : object_(const_cast<void*>(static_cast<const void*>(&f))),
          call_([](void* object, Args... args) -> R {
              return (*static_cast<std::remove_reference_t<F>*>(object))(args...);
          }) {}
    R operator()(Args... args) const { return call_(object_, args...); }

  private:
    void* object_;
    R (*call_)(void*, Args...);
};

}  // namespace tombola::impl
