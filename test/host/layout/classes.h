// Classes of a host: as in its library, or (CHANGED) as in headers of another version.
#ifndef GRPC_XDS_TEST_HOST_LAYOUT_CLASSES_H_
#define GRPC_XDS_TEST_HOST_LAYOUT_CLASSES_H_

namespace layout_test {

class Same {
 public:
  virtual ~Same();
  virtual void A();
  virtual void B() = 0;
};

class Larger {
 public:
  virtual ~Larger();

 private:
  long first_ = 0;
#ifdef CHANGED
  long second_ = 0;
#endif
};

class Swapped {
 public:
  virtual ~Swapped();
#ifdef CHANGED
  virtual void B();
  virtual void A();
#else
  virtual void A();
  virtual void B();
#endif
};

class Retyped {
 public:
  virtual ~Retyped();
#ifdef CHANGED
  virtual void A(long);
#else
  virtual void A(int);
#endif
};

class Implemented {
 public:
  virtual ~Implemented();
  virtual void A() = 0;
#ifdef CHANGED
  virtual void B() = 0;
#endif
};

class Final final : public Implemented {
 public:
  ~Final() override;
  void A() override;
};

#ifdef CHANGED
class Gone {
 public:
  virtual ~Gone();
};
#endif

}  // namespace layout_test

class Outer {
 public:
  virtual ~Outer();
  virtual void A();
};

#endif
