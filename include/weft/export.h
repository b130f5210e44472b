// Marks what users of the library may call; all else stays inside it.
#ifndef WEFT_EXPORT_H_
#define WEFT_EXPORT_H_

#define WEFT_API __attribute__((visibility("default")))

#endif  // WEFT_EXPORT_H_
