// Rectangles with sides along the axes, such as the boxes around objects of a picture.
#ifndef WEFT_DATA_BOXES_BOX_H_
#define WEFT_DATA_BOXES_BOX_H_

#include <algorithm>

namespace weft::data {

struct Box {
  double x = 0, y = 0;  // of the left upper corner
  double width = 0, height = 0;

  double right() const { return x + width; }
  double bottom() const { return y + height; }
  double area() const { return width * height; }
  bool operator==(const Box&) const = default;

  // From the centre, as detectors predict boxes.
  static Box around(double center_x, double center_y, double width, double height) {
    return {center_x - width / 2, center_y - height / 2, width, height};
  }
};

// What both cover; of size 0 where they are apart.
inline Box intersection(const Box& a, const Box& b) {
  const double x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, std::max(0.0, std::min(a.right(), b.right()) - x),
          std::max(0.0, std::min(a.bottom(), b.bottom()) - y)};
}

// The smallest box around both.
inline Box hull(const Box& a, const Box& b) {
  const double x = std::min(a.x, b.x), y = std::min(a.y, b.y);
  return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

// The area of the intersection by that of the union; 0 where both areas are 0.
inline double iou(const Box& a, const Box& b) {
  const double shared = intersection(a, b).area(), all = a.area() + b.area() - shared;
  return all > 0 ? shared / all : 0;
}

// That, less the share of the hull that neither covers (Rezatofighi et al. 2019, arXiv 1902.09630):
// from -1 to 1.
inline double generalized_iou(const Box& a, const Box& b) {
  const double shared = intersection(a, b).area(), all = a.area() + b.area() - shared;
  const double around = hull(a, b).area();
  if (!(all > 0 && around > 0)) return -1;
  return shared / all - (around - all) / around;
}

}  // namespace weft::data

#endif  // WEFT_DATA_BOXES_BOX_H_
