// Pictures in PNG and JPEG files.
#ifndef WEFT_DATA_IMAGES_IMAGE_FILE_H_
#define WEFT_DATA_IMAGES_IMAGE_FILE_H_

#include <cstdint>
#include <span>
#include <string>

#include "weft/data/images/image.h"

namespace weft::data {

// Reads a PNG or JPEG file, recognised by its first bytes, whatever its name.
//
// PNG: grey files have 1 channel, colours and palettes 3; 1, 2 and 4 bits are scaled up to 8 and 16
// scaled down; transparency is composed over white; interlaced files are read too. JPEG: grey files
// have 1 channel, YCbCr and RGB 3. Colour profiles, gamma and the orientation of Exif are not
// applied, and bytes after the end of the picture are ignored.
//
// Throws FileError for a file that cannot be read. Throws FormatError, which names the file and
// what was expected, for one that is neither PNG nor JPEG, is damaged or cut off, has over
// kMaxPixels pixels (checked before memory for them is taken), or is a JPEG of CMYK, of a colour
// space that is unknown, or of over 100 scans.
Image read_image(const std::string& path);
// The same of a path that stands in a file; errors are FormatErrors that begin with `where`, such
// as "list.txt:3".
Image read_image_of(const std::string& path, const std::string& where);
// The same of bytes in memory; `name` stands in errors for the file.
Image decode_image(std::span<const uint8_t> bytes, const std::string& name);

}  // namespace weft::data

#endif  // WEFT_DATA_IMAGES_IMAGE_FILE_H_
