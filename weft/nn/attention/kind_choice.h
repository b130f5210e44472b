// The choice of a kind of self-attention, without the kinds, which kinds.h lists.
#ifndef WEFT_NN_ATTENTION_KIND_CHOICE_H_
#define WEFT_NN_ATTENTION_KIND_CHOICE_H_

#include "weft/core/indirect.h"
#include "weft/nn/attention/any_kind.h"
#include "weft/nn/attention/kind.h"
#include "weft/options/field_visitor.h"

namespace weft::nn {

struct AttentionChoice;  // the OneOf of all kinds, in kinds.h

// The selected kind, at first full attention, and the options of all kinds.
class AttentionKinds {
 public:
  AttentionKinds() = default;
  // Selects the kind, with these options; defined in kinds.h.
  template <class Kind>
  AttentionKinds(Kind kind);

  // For who includes kinds.h.
  const AttentionChoice& choice() const { return *choice_; }
  AttentionChoice& choice() { return *choice_; }

  std::string_view name() const;
  bool is_full() const;
  bool is_local() const;
  // The layers whose attention is full although the kind is another.
  FullLayers full_layers() const;
  const AttentionLimits& limits() const;
  // Whether its module has a table of --max-positions rows.
  bool has_tables() const;
  // Throws OptionError for options of the kind that contradict each other.
  void check() const;
  AttentionKind make(const AttentionDims& dims) const;

  template <class V>
  void fields(V& v) {
    options::pointer_to_fields(v, choice_);
    options::FieldVisitorOf<V> visitor(v);
    visit(visitor);
  }

 private:
  void visit(options::FieldVisitor& v);

  Indirect<AttentionChoice> choice_;
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_KIND_CHOICE_H_
