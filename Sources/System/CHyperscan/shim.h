#pragma once
#include <hs.h>
