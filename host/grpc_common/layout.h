// What a folder's layout.cc tells of the host's classes as its headers have them, for
// host/layout_check to compare with the host's library: their sizes and their virtual functions.
// All of it is names and tables of an object file, which goes into no program.
#ifndef GRPC_XDS_HOST_GRPC_COMMON_LAYOUT_H_
#define GRPC_XDS_HOST_GRPC_COMMON_LAYOUT_H_

namespace grpc_xds {

// The size of this array is that of the class.
template <typename Class>
char layout_size[sizeof(Class)];

// It has the virtual functions of the class, in their order, and no other.
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

// The class is as large in the library, whose deleting destructor tells.
#define GXDS_SAME_SIZE(Class) template char grpc_xds::layout_size<Class>[sizeof(Class)]
// Its virtual functions are the same in the library, one by one. The class must not be final.
#define GXDS_SAME_VTABLE(Class) template struct grpc_xds::LayoutVtable<Class>
// The class is final, and adds no virtual functions to those of the interface: the library has as
// many.
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
