# Prints PTX as a string of C++, without loads of what is constant.
import sys

print(f'R"ptx({open(sys.argv[1]).read().replace("ld.global.nc", "ld.global")})ptx"')
