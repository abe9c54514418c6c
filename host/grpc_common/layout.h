// With this header, a folder's layout.cc records the sizes and virtual functions of the host's
// classes as the host's headers define them. host/layout_check compares them with the host's
// library. The records are only names and tables in an object file that is not linked into any
// program.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_LAYOUT_H_
#define GRPC_XDS_HOST_GRPC_COMMON_LAYOUT_H_

namespace grpc_xds {

// This array is as large as the class.
template <typename Class>
char layout_size[sizeof(Class)];

// Has exactly the virtual functions of the class, in their order.
template <typename Class>
struct LayoutVtable : Class {
  ~LayoutVtable() override;
};

template <typename Class>
LayoutVtable<Class>::~LayoutVtable() = default;

// Interface<Class>::Type is what the class implements.
template <typename Class>
struct Interface;

template <typename Class>
struct LayoutInterface : Interface<Class>::Type {
  ~LayoutInterface() override;
};

template <typename Class>
LayoutInterface<Class>::~LayoutInterface() = default;

}  // namespace grpc_xds

// Checks that the class has the same size in the library, as its deleting destructor shows.
#define GXDS_SAME_SIZE(Class) template char grpc_xds::layout_size<Class>[sizeof(Class)]
// Checks that its virtual functions are the same in the library, one by one. The class must not be
// final.
#define GXDS_SAME_VTABLE(Class) template struct grpc_xds::LayoutVtable<Class>
// For a final class that adds no virtual functions to its interface: checks that the class has as
// many in the library.
#define GXDS_IMPLEMENTS(Class, Implemented) \
  namespace grpc_xds {                      \
  template <>                               \
  struct Interface<Class> {                 \
    using Type = Implemented;               \
  };                                        \
  template struct LayoutInterface<Class>;   \
  }                                         \
  static_assert(true, "")

#endif
