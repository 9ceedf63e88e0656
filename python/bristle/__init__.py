from ._bristle import *
