@_exported import InkstoneBase
@_exported import InkstoneFiles
@_exported import InkstoneInput
@_exported import InkstoneLayout
@_exported import InkstoneText
@_exported import InkstoneUnicode
@_exported import InkstoneView
@_exported import InkstoneX11
